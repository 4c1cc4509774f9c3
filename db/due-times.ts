import type { Tx } from './pool.ts';
import type { Shard } from './shards.ts';

/** The clock's row is written so seldom, in milliseconds; URLs that were due by then may wait that long once more. */
const CLOCK_STEP_MS = 5_000;

// Index: shard_pkey, locked by the caller.
const READ_CLOCK = `
  select (extract(epoch from clock_at - clock_timestamp()) * 1000)::float8 as "aheadMs"
    from shard
   where crawl_id = $1
     and shard = $2`;

const WRITE_CLOCK = `
  update shard
     set clock_at = clock_timestamp()
   where crawl_id = $1
     and shard = $2`;

// No index: read from end to end, once for each time that a clock was set back. Only what lies ahead is moved: URLs that
// were due already, those that entered while the clock was wrong, and retries, which keep their distance.
const MOVE_URLS = `
  update url
     set due_at = due_at - $2 * interval '1 millisecond'
   where crawl_id = $1
     and state in ('queued', 'assigned')
     and due_at > clock_timestamp()`;

const MOVE_READY = `
  update ready
     set due_at = case when due_at > clock_timestamp() then due_at - $2 * interval '1 millisecond' else due_at end,
         turn_at = case when turn_at > clock_timestamp() then turn_at - $2 * interval '1 millisecond' else turn_at end,
         until_at = until_at - $2 * interval '1 millisecond'
   where crawl_id = $1`;

/**
 * Notes the database's time for a shard; where that was set back, moves what is due back by as much. Else every URL that
 * entered before would wait until the clock has caught up. Hosts mend their own clocks (`rebaseClock`).
 */
export async function keepDueTimes(tx: Tx, { crawlId, shard }: Shard): Promise<void> {
  const values = [crawlId, shard];
  const { rows } = await tx.query<{ aheadMs: number }>({
    name: 'read_shard_clock',
    text: READ_CLOCK,
    values,
  });
  const aheadMs = rows[0]?.aheadMs ?? 0;
  if (aheadMs > CLOCK_STEP_MS) {
    await tx.query({ name: 'move_urls', text: MOVE_URLS, values: [crawlId, aheadMs] });
    await tx.query({ name: 'move_ready', text: MOVE_READY, values: [crawlId, aheadMs] });
  }
  if (Math.abs(aheadMs) > CLOCK_STEP_MS) {
    await tx.query({ name: 'write_shard_clock', text: WRITE_CLOCK, values });
  }
}
