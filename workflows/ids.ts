/** The one task queue that every worker polls. */
export const TASK_QUEUE = 'decorum';

/** Temporal's SQL stores keep 255 characters of a workflow id. */
const ID_CHARACTERS = 255;

/** The id of a host's workflow: Mercator's host→queue table, since Temporal runs one workflow per id. */
export function hostWorkflowId(hostKey: string): string {
  const id = `host:${hostKey}`;
  if (id.length <= ID_CHARACTERS) return id;
  return `${id.slice(0, ID_CHARACTERS - 17)}~${fnv1a64(hostKey)}`;
}

export function crawlWorkflowId(crawl: string): string {
  return `crawl:${crawl}`;
}

/** One prioritizer a shard; the first bears the crawl's name alone. */
export function prioritizerWorkflowId(crawl: string, shard: number): string {
  return shard === 0 ? `prioritizer:${crawl}` : `prioritizer:${crawl}:${String(shard)}`;
}

/** FNV-1a, 64 bits, as 16 hexadecimal digits (Fowler, Noll, Vo); tells over-long keys apart, nothing more. */
function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
