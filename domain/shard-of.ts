import type { HostKey } from './host-key.ts';

/**
 * Which of a crawl's shards a host belongs to: 32-bit FNV-1a over its key, modulo their number. A host keeps its shard
 * for as long as the crawl lives, so all that is queued of it has one writer (IIR §20.2.1, the host splitter).
 */
export function shardOf(host: HostKey | string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < host.length; at += 1) {
    hash = Math.imul(hash ^ host.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
