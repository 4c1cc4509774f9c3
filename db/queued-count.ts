import type { Tx } from './pool.ts';
import type { QueueChange } from './ready.ts';
import type { Shard } from './shards.ts';

// Index: queued_count_pkey.
const COUNT_QUEUED = `
  insert into queued_count (crawl_id, shard, band, urls)
  select $1, $2, band, urls
    from unnest($3::smallint[], $4::bigint[]) as q (band, urls)
  on conflict (crawl_id, shard, band) do update
     set urls = queued_count.urls + excluded.urls`;

/** Adds to the number of queued URLs by band. Holds the shard's lock. */
export async function countQueued(
  tx: Tx,
  { crawlId, shard }: Shard,
  changes: readonly QueueChange[],
): Promise<void> {
  const byBand = new Map<number, number>();
  for (const { band, urls } of changes) byBand.set(band, (byBand.get(band) ?? 0) + urls);
  if (byBand.size === 0) return;
  const values = [crawlId, shard, [...byBand.keys()], [...byBand.values()]];
  await tx.query({ name: 'count_queued', text: COUNT_QUEUED, values });
}
