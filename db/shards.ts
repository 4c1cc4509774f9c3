import type { Tx } from './pool.ts';

/** A hash slice of a crawl's hosts; one transaction at a time writes its part of the frontier. */
export interface Shard {
  readonly crawlId: number;
  readonly shard: number;
}

/** What the shard's row remembers of its latest pull. */
export interface ShardRow {
  readonly batchId: number;
  readonly batchFeeds: readonly {
    readonly hostId: number;
    readonly hostKey: string;
    readonly count: number;
  }[];
}

// Index: shard_pkey. The one writer touches a batch of rows in tables of any size, also where the planner, for want of
// statistics, would rather read a partition from end to end: in this transaction it may not.
const LOCK = `
  select batch_id as "batchId",
         batch_feeds as "batchFeeds",
         set_config('enable_seqscan', 'off', true)
    from shard
   where crawl_id = $1
     and shard = $2
     for no key update`;

/**
 * Makes this transaction the shard's one writer until it ends.
 *
 * @throws Error where the crawl has no such shard: it was removed.
 */
export async function lockShard(tx: Tx, { crawlId, shard }: Shard): Promise<ShardRow> {
  const { rows } = await tx.query<ShardRow>({
    name: 'lock_shard',
    text: LOCK,
    values: [crawlId, shard],
  });
  const row = rows[0];
  if (row === undefined) throw new Error(`Crawl ${String(crawlId)} has no shard ${String(shard)}`);
  return row;
}
