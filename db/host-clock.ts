import type { Db } from './pool.ts';

// Index: host_pkey. A clock that was set back would make the host wait for as long as it jumped: owe again what was
// owed when the next allowed time was written, and no more.
const REBASE = `
  update host
     set next_allowed_at = clock_timestamp() + clock_owed_ms * interval '1 millisecond',
         lease_until = case
           when lease_until is not null
             then least(lease_until, clock_timestamp() + clock_owed_ms * interval '1 millisecond')
         end,
         blocked_until = case
           when blocked_until is not null
             then least(blocked_until, clock_timestamp() + clock_owed_ms * interval '1 millisecond')
         end,
         clock_at = clock_timestamp()
   where host_id = $1
     and clock_at > clock_timestamp()
  returning clock_owed_ms as "owedMs"`;

/**
 * Mends the row of a host whose clock was set back after its next allowed time was written.
 *
 * @returns milliseconds until the host may be asked; 1 where there was nothing to mend.
 */
export async function rebaseClock(db: Db, hostId: number): Promise<number> {
  const { rows } = await db.query<{ owedMs: number | null }>({
    name: 'rebase_clock',
    text: REBASE,
    values: [hostId],
  });
  return Math.max(rows[0]?.owedMs ?? 1, 1);
}
