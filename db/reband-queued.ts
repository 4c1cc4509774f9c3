import { bandRulesNow } from './band-rules-now.ts';
import type { Chore, ChoreStep } from './do-chore.ts';
import type { Tx } from './pool.ts';
import type { QueuedUrl } from './queued-batch.ts';

// Index: url_pkey.
const REBAND = `
  update url
     set band = named.band
    from unnest($2::bigint[], $3::uuid[], $4::smallint[], $5::smallint[]) as named (host_id, key_hash, was, band)
   where url.host_id = named.host_id
     and url.crawl_id = $1
     and url.key_hash = named.key_hash
     and url.state = 'queued'
     and url.band = named.was
  returning url.host_id as "hostId", named.was, url.band`;

/** Gives queued URLs the bands that the crawl's rules of now give them. */
export const rebandQueued: Chore = async (tx, { crawlId }, urls, { prioritizerFor }) => {
  const rules = await bandRulesNow(tx, crawlId, prioritizerFor);
  if (rules === undefined || urls.length === 0) return { changed: 0, changes: [] };
  const sources = await sourcesOf(tx, urls);
  const choices = urls.map(({ url, depth, sourceId, sitemapPriority }) =>
    rules.choose({
      url,
      depth,
      foundOn: sourceId === null ? undefined : sources.get(sourceId),
      sitemapPriority: sitemapPriority ?? undefined,
    }),
  );
  await rules.tellFaults(choices);
  const moved = urls.flatMap(({ hostId, keyHash, band: was }, at) => {
    const band = choices[at]?.band ?? was;
    return band === was ? [] : [{ hostId, keyHash, was, band }];
  });
  return moved.length === 0 ? { changed: 0, changes: [] } : move(tx, crawlId, moved);
};

interface Move {
  readonly hostId: number;
  readonly keyHash: string;
  readonly was: number;
  readonly band: number;
}

async function move(tx: Tx, crawlId: number, moved: readonly Move[]): Promise<ChoreStep> {
  const { rows } = await tx.query<Omit<Move, 'keyHash'>>({
    name: 'reband_queued',
    text: REBAND,
    values: [
      crawlId,
      moved.map(({ hostId }) => hostId),
      moved.map(({ keyHash }) => keyHash),
      moved.map(({ was }) => was),
      moved.map(({ band }) => band),
    ],
  });
  const changes = rows.flatMap(({ hostId, was, band }) => [
    { hostId, band: was, urls: -1 },
    { hostId, band, urls: 1 },
  ]);
  return { changed: rows.length, changes };
}

// Index: source_pkey.
const SOURCES = `
  select source_id as "sourceId", url
    from source
   where source_id = any ($1::bigint[])`;

async function sourcesOf(tx: Tx, urls: readonly QueuedUrl[]): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(urls.flatMap(({ sourceId }) => sourceId ?? []));
  if (ids.size === 0) return new Map();
  const { rows } = await tx.query<{ sourceId: number; url: string }>({
    name: 'sources_of',
    text: SOURCES,
    values: [[...ids]],
  });
  return new Map(rows.map(({ sourceId, url }) => [sourceId, url]));
}
