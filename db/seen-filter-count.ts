import type { FilterTally } from '../domain/seen-test.ts';
import type { Db, Tx } from './pool.ts';
import type { Shard } from './shards.ts';

// Index: shard_pkey.
const COUNT = `
  update shard
     set filter_entered = filter_entered + $3,
         filter_left_out = filter_left_out + $4,
         filter_checked = filter_checked + $5,
         filter_wrong = filter_wrong + $6
   where crawl_id = $1
     and shard = $2`;

/** Adds to what the shard's filter has answered. Holds the shard's lock. */
export async function countFiltered(
  tx: Tx,
  { crawlId, shard }: Shard,
  { entered, leftOut, checked, wrong }: FilterTally,
): Promise<void> {
  const values = [crawlId, shard, entered, leftOut, checked, wrong];
  await tx.query({ name: 'count_filtered', text: COUNT, values });
}

// Index: shard_pkey.
const READ = `
  select sum(filter_entered)::bigint as "entered",
         sum(filter_left_out)::bigint as "leftOut",
         sum(filter_checked)::bigint as "checked",
         sum(filter_wrong)::bigint as "wrong",
         jsonb_agg(known order by shard) as "knownByShard"
    from shard
   where crawl_id = $1`;

/** What the filters of all shards have answered, and how many URLs each shard knows. */
export async function filteredOf(
  db: Db,
  crawlId: number,
): Promise<{ readonly tally: FilterTally; readonly knownByShard: readonly number[] }> {
  const { rows } = await db.query<FilterTally & { knownByShard: readonly number[] }>({
    name: 'filtered_of',
    text: READ,
    values: [crawlId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('No sums of the filters');
  const { knownByShard, ...tally } = row;
  return { tally, knownByShard };
}
