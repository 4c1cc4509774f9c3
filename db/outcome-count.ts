import type { Tx } from './pool.ts';

/** How often an outcome came about, and the bytes that were transferred for it. */
export interface OutcomeTally {
  readonly fetches: number;
  readonly bytes: number;
}

// Index: outcome_count_pkey. In one order, since the crawl's shards share the table.
const COUNT_OUTCOMES = `
  insert into outcome_count (crawl_id, outcome, fetches, bytes)
  select $1, outcome, fetches, bytes
    from unnest($2::text[], $3::bigint[], $4::bigint[]) as o (outcome, fetches, bytes)
   order by outcome
  on conflict (crawl_id, outcome) do update
     set fetches = outcome_count.fetches + excluded.fetches,
         bytes = outcome_count.bytes + excluded.bytes`;

/** Adds to the outcomes of a crawl. Holds the shard's lock. */
export async function countOutcomes(
  tx: Tx,
  crawlId: number,
  outcomes: ReadonlyMap<string, OutcomeTally>,
): Promise<void> {
  if (outcomes.size === 0) return;
  const tallies = [...outcomes.values()];
  await tx.query({
    name: 'count_outcomes',
    text: COUNT_OUTCOMES,
    values: [
      crawlId,
      [...outcomes.keys()],
      tallies.map(({ fetches }) => fetches),
      tallies.map(({ bytes }) => bytes),
    ],
  });
}
