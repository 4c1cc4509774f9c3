import type { Tx } from './pool.ts';

const DRAW = `
  select nextval(pg_get_serial_sequence('source', 'source_id')) as "sourceId"
    from generate_series(1, $1)`;

/** Numbers for the pages on which links were found, before it is known which of those links are new. */
export async function drawSources(
  tx: Tx,
  links: readonly { readonly foundOn: string | null }[],
): Promise<ReadonlyMap<string, number>> {
  const pages = [...new Set(links.flatMap(({ foundOn }) => foundOn ?? []))];
  if (pages.length === 0) return new Map();
  const { rows } = await tx.query<{ sourceId: number }>({
    name: 'draw_sources',
    text: DRAW,
    values: [pages.length],
  });
  return new Map(rows.map(({ sourceId }, at) => [pages[at] ?? '', sourceId]));
}

const KEEP = `
  insert into source (source_id, crawl_id, url) overriding system value
  select source_id, $1, url
    from unnest($2::bigint[], $3::text[]) as s (source_id, url)`;

/** Keeps the pages on which something new was found; the other numbers are never used. */
export async function keepSources(
  tx: Tx,
  crawlId: number,
  sources: ReadonlyMap<string, number>,
  used: ReadonlySet<number>,
): Promise<void> {
  const kept = [...sources].filter(([, sourceId]) => used.has(sourceId));
  if (kept.length === 0) return;
  const values = [crawlId, kept.map(([, sourceId]) => sourceId), kept.map(([url]) => url)];
  await tx.query({ name: 'keep_sources', text: KEEP, values });
}
