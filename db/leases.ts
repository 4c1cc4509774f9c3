import { LEASE_MS, type GrantedLease, type HostClock, type Lease } from './claim.ts';
import { policyRuling } from '../domain/host-policy.ts';
import { rebaseClock } from './host-clock.ts';
import { POLICY_COLUMNS, POLICY_OF_HOST, policyIn, type PolicyColumns } from './host-policies.ts';
import type { Db } from './pool.ts';

// Index: host_pkey. One row, locked by the update itself.
const RENEW = `
  update host
     set lease_until = clock_timestamp() + $3 * interval '1 millisecond',
         next_allowed_at = clock_timestamp() + ($3 + $4) * interval '1 millisecond',
         clock_at = clock_timestamp(),
         clock_owed_ms = $3 + $4
   where host_id = $1
     and lease_token = $2
  returning true as "renewed"`;

/**
 * Extends a lease while a fetch lasts and books the gap that a crash would then owe.
 *
 * @param gapMs the politeness gap of a fetch that ends when the renewed lease does.
 * @returns false where the lease was lost: the fetch must be aborted.
 */
export async function renewLease(db: Db, lease: Lease, gapMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'renew_lease',
    text: RENEW,
    values: [lease.hostId, lease.token, LEASE_MS, Math.ceil(gapMs)],
  });
  return rowCount === 1;
}

// Indexes: host_pkey, url_pkey.
const GIVE_BACK = `
  with freed as (
    update host
       set lease_token = null,
           lease_until = null,
           next_allowed_at = least(next_allowed_at, clock_timestamp()),
           clock_at = null,
           asked = greatest(asked - 1, 0)
     where host_id = $1
       and lease_token = $2
    returning host_id
  )
  update url
     set claims = greatest(claims - 1, 0)
    from freed
   where url.host_id = $1
     and url.crawl_id = $3
     and url.key_hash = $4
     and $5::boolean`;

/** Gives a claim back before any request was sent; the host may be claimed again at once. */
export async function giveBack(
  db: Db,
  lease: Lease,
  url: { readonly crawlId: number; readonly keyHash: string },
  { claimed }: { readonly claimed: boolean },
): Promise<void> {
  await db.query({
    name: 'give_back',
    text: GIVE_BACK,
    values: [lease.hostId, lease.token, url.crawlId, url.keyHash, claimed],
  });
}

/** The same where the claim was for no URL. */
async function freeHost(db: Db, lease: Lease): Promise<void> {
  const values = [lease.hostId, lease.token, null, null, false];
  await db.query({ name: 'give_back', text: GIVE_BACK, values });
}

// Indexes: host_pkey, host_policy_pkey. The host's row is locked before the clock is read.
const CLAIM_HOST = `
  with host_now as materialized (
    select h.*, clock_timestamp() as now
      from host h
     where h.host_id = $1
       for no key update
  ), policy as materialized (
    select policy.*
      from host_now h
     cross join lateral (${POLICY_OF_HOST}
     ) policy
  ), leased as (
    update host
       set lease_token = $2,
           lease_crawl_id = $5,
           lease_until = h.now + $3 * interval '1 millisecond',
           next_allowed_at = h.now + ($3 + $4) * interval '1 millisecond',
           clock_at = h.now,
           clock_owed_ms = $3 + $4,
           asked_since = today.began,
           asked = case when h.asked_since = today.began then h.asked + 1 else 1 end
      from host_now h
     cross join lateral (select date_trunc('day', h.now, 'UTC') as began) today
     where host.host_id = $1
       and (h.lease_until is null or h.lease_until <= h.now)
       and h.next_allowed_at <= h.now
       and (h.hold_since is null or h.hold_until <= h.now)
    returning host.asked
  )
  select exists (select from leased) as "leased",
         h.hold_since is not null and (h.hold_until is null or h.hold_until > h.now) as "held",
         extract(epoch from greatest(h.next_allowed_at, h.lease_until) - h.now) * 1000 as "allowedInMs",
         h.clock_at > h.now as "clockSetBack",
         h.backoff_level as "backoffLevel",
         h.good_answers as "goodAnswers",
         h.failures_in_row as "failuresInARow",
         h.crawl_delay_ms as "crawlDelayMs",
         (select asked from leased) as "asked",
         h.now,${POLICY_COLUMNS}
    from host_now h
    left join policy on true`;

const ENSURE_HOST = `
  insert into host (host_key)
  values ($1)
  on conflict (host_key) do nothing`;

const FIND_HOST = `
  select host_id as "hostId"
    from host
   where host_key = $1`;

/** A claim of a host for one request that no URL of its own asks for: a robots.txt that redirects there. */
export type HostClaim =
  | {
      readonly kind: 'claimed';
      readonly lease: GrantedLease;
      readonly clock: HostClock;
    }
  | { readonly kind: 'notYet'; readonly waitMs: number }
  | { readonly kind: 'excluded' };

interface HostClaimRow extends HostClock, PolicyColumns {
  readonly leased: boolean;
  readonly asked: number | null;
  readonly now: Date;
  readonly held: boolean;
  readonly allowedInMs: string | null;
  readonly clockSetBack: boolean | null;
}

/** How soon to look again at a host that is held or left alone by its policy, in milliseconds; our choice. */
const HELD_LOOK_MS = 60_000;

/**
 * Claims a host by its key, whoever knows it, making its row where it has none.
 *
 * @param crawlId on whose behalf.
 * @param gapMs what to book for a fetch that ends when the lease does.
 */
export async function claimHost(
  db: Db,
  hostKey: string,
  token: string,
  { crawlId, gapMs }: { readonly crawlId: number; readonly gapMs: number },
): Promise<HostClaim> {
  const hostId = await ensureHost(db, hostKey);
  const askedAtMs = performance.now();
  const { rows } = await db.query<HostClaimRow>({
    name: 'claim_host',
    text: CLAIM_HOST,
    values: [hostId, token, LEASE_MS, Math.ceil(gapMs), crawlId],
  });
  const row = rows[0];
  if (row === undefined) throw new Error(`Host ${String(hostId)} ("${hostKey}") has no row`);
  if (!row.leased) return { kind: 'notYet', waitMs: await waitOf(db, hostId, row) };
  const ruling = policyRuling(policyIn(row), {
    asked: row.asked ?? 0,
    nowMs: row.now.getTime(),
  });
  if (ruling.kind !== 'allowed') {
    await freeHost(db, { hostId, token });
    return ruling.kind === 'excluded' ? ruling : { kind: 'notYet', waitMs: HELD_LOOK_MS };
  }
  const { backoffLevel, goodAnswers, failuresInARow, crawlDelayMs, policyGapMs } = row;
  return {
    kind: 'claimed',
    lease: { hostId, token, askedAtMs },
    clock: { backoffLevel, goodAnswers, failuresInARow, crawlDelayMs, policyGapMs },
  };
}

async function waitOf(db: Db, hostId: number, row: HostClaimRow): Promise<number> {
  if (row.held) return HELD_LOOK_MS;
  if (row.clockSetBack === true) return rebaseClock(db, hostId);
  return Math.max(Math.ceil(Number(row.allowedInMs ?? 0)), 1);
}

/** The id of a host's row, made where there is none. */
export async function ensureHost(db: Db, hostKey: string): Promise<number> {
  await db.query({ name: 'ensure_host', text: ENSURE_HOST, values: [hostKey] });
  const { rows } = await db.query<{ hostId: number }>({
    name: 'find_host',
    text: FIND_HOST,
    values: [hostKey],
  });
  const hostId = rows[0]?.hostId;
  if (hostId === undefined) throw new Error(`Host "${hostKey}" could not be made`);
  return hostId;
}
