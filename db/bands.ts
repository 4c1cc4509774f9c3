import type { Db } from './pool.ts';

/** One band of a crawl's front queues. */
export interface BandQueue {
  readonly band: number;
  readonly queued: number;
  /** Since when its first URL has been due, in milliseconds; `null` where none is queued (R7). */
  readonly oldestMs: number | null;
}

// Indexes: queued_count_pkey, ready_oldest (one entry a band). The one writer keeps the counts.
const QUEUES = `
  select b.band,
         coalesce((select sum(q.urls)
                     from queued_count q
                    where q.crawl_id = $1
                      and q.band = b.band), 0)::bigint as "queued",
         (select greatest(extract(epoch from clock_timestamp() - r.due_at) * 1000, 0)::bigint
            from ready r
           where r.crawl_id = $1
             and r.band = b.band
           order by r.due_at
           limit 1) as "oldestMs"
    from generate_series(1, $2::int) as b (band)
   order by b.band`;

/** The front queues of a crawl by band, the most urgent first. */
export async function bandQueues(
  db: Db,
  crawlId: number,
  bands: number,
): Promise<readonly BandQueue[]> {
  const { rows } = await db.query<BandQueue>({
    name: 'band_queues',
    text: QUEUES,
    values: [crawlId, bands],
  });
  return rows;
}

/** Since when the first URL of each band waits. */
export async function oldestWaits(
  db: Db,
  crawlId: number,
  bands: number,
): Promise<readonly (number | null)[]> {
  return (await bandQueues(db, crawlId, bands)).map(({ oldestMs }) => oldestMs);
}
