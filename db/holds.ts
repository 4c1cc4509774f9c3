import type { HostKey } from '../domain/host-key.ts';
import type { HoldRow } from './claim.ts';
import { ensureHost } from './leases.ts';
import { touchHost } from './outbox.ts';
import { inTransaction, type Db } from './pool.ts';

/** A pause as somebody orders it. */
export interface HoldOrderRow {
  readonly who: string;
  readonly why: string;
  readonly until?: Date;
}

// Index: host_pkey. Without a sequence the order is the newest; with one it counts only if nothing newer was written.
const SET_HOLD = `
  update host
     set hold_who = $2,
         hold_why = $3,
         hold_until = $4,
         hold_since = case when $2::text is null then null else clock_timestamp() end,
         hold_seq = coalesce($5, hold_seq + 1)
   where host_id = $1
     and ($5::bigint is null or hold_seq < $5)
  returning hold_seq as "sequence"`;

const STANDING_HOLD = `
  select hold_who as "who",
         hold_why as "why",
         hold_since as "since",
         hold_until as "until",
         hold_seq as "sequence"
    from host
   where host_id = $1`;

interface StandingRow {
  readonly who: string | null;
  readonly why: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly sequence: number;
}

/**
 * Pauses (`hold` given) or resumes (`null`) a host: its next claim is refused from now on. An order whose `sequence`
 * is not above the row's is out of date and changes nothing.
 *
 * @returns the hold that stands afterwards, and its sequence.
 */
export async function writeHold(
  db: Db,
  hostKey: HostKey,
  hold: HoldOrderRow | null,
  sequence?: number,
): Promise<{ readonly hold: HoldRow | null; readonly sequence: number }> {
  const hostId = await ensureHost(db, hostKey);
  return inTransaction(db, async (tx) => {
    const values = [
      hostId,
      hold?.who ?? null,
      hold?.why ?? null,
      hold?.until ?? null,
      sequence ?? null,
    ];
    const { rowCount } = await tx.query({ name: 'set_hold', text: SET_HOLD, values });
    if (rowCount === 1) await touchHost(tx, hostId);
    const { rows } = await tx.query<StandingRow>({
      name: 'standing_hold',
      text: STANDING_HOLD,
      values: [hostId],
    });
    const row = rows[0];
    if (row === undefined) throw new Error(`Host "${hostKey}" has no row`);
    const { who, why, since, until } = row;
    const standing = since === null ? null : { who: who ?? '', why: why ?? '', since, until };
    return { hold: standing, sequence: row.sequence };
  });
}

/** Pauses a host; gives the sequence under which it stands. */
export async function holdHost(db: Db, hostKey: HostKey, hold: HoldOrderRow): Promise<number> {
  return (await writeHold(db, hostKey, hold)).sequence;
}

// Index: host_host_key_key.
const IS_HELD = `
  select true as "held"
    from host
   where host_key = $1
     and hold_since is not null`;

/** Lifts a host's hold; `undefined` where the host is unknown or not held. */
export async function liftHold(db: Db, hostKey: HostKey): Promise<number | undefined> {
  const { rowCount } = await db.query({ name: 'is_held', text: IS_HELD, values: [hostKey] });
  if (rowCount !== 1) return undefined;
  return (await writeHold(db, hostKey, null)).sequence;
}
