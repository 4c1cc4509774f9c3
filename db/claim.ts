import {
  crawlSettingsOf,
  type CrawlSettings,
  type StoredSettings,
} from '../domain/crawl-settings.ts';
import type { LastAnswer, ValidatorsOfUrl } from '../domain/validators.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import { policyRuling } from '../domain/host-policy.ts';
import type { RobotsAccess } from '../domain/robots-access.ts';
import { rebaseClock } from './host-clock.ts';
import {
  blockHost,
  POLICY_COLUMNS,
  POLICY_OF_HOST,
  policyIn,
  type PolicyColumns,
} from './host-policies.ts';
import type { Db } from './pool.ts';

/** How long a lease lasts before it must be renewed, in milliseconds. Our choice: a crash costs no more than this and one gap. */
export const LEASE_MS = 2_000;

/** The right to send one request to a host, until it is settled or runs out. */
export interface Lease {
  readonly hostId: number;
  readonly token: string;
}

/** A lease just granted. */
export interface GrantedLease extends Lease {
  /** When it was asked for, in the time of `performance.now()`: it runs out at the latest `LEASE_MS` after that. */
  readonly askedAtMs: number;
}

/** The URL that a claim chose, with the state that its outcome will be written against. */
export interface ClaimedUrl {
  readonly crawlId: number;
  readonly crawl: string;
  readonly settings: CrawlSettings;
  readonly keyHash: string;
  readonly requestUrl: RequestUrl;
  readonly depth: number;
  readonly hops: number;
  /** The page or robots.txt that it was first found on; `null` for a seed. */
  readonly foundOn: string | null;
  /** Claims since the URL was last settled, this one included. */
  readonly claims: number;
  readonly failures: number;
  /** Milliseconds since the first of the 429 and 503 in a row that are all it has been answered by; else 0. */
  readonly putOffMs: number;
  /** Whether it holds a page of its crawl's budget. */
  readonly reserved: boolean;
  /** What it may be asked about again; `null` where it was never had, or came without validators. */
  readonly lastAnswer: LastAnswer | null;
}

/** What is known of the robots.txt of a claimed URL's origin; `access` is `null` where it was never read. */
export interface RobotsState {
  readonly origin: string;
  readonly robotsId: number | null;
  readonly version: number;
  readonly access: RobotsAccess | null;
  readonly tries: number;
  readonly hopUrl: string | null;
  readonly hops: number;
  /** It stayed unreachable for longer than the crawl waits (R16). */
  readonly gaveUp: boolean;
  /** Of the file that is kept; `null` where there is none, or it came without them. */
  readonly validators: ValidatorsOfUrl | null;
}

/** A host's politeness state as a claim found it. */
export interface HostClock {
  readonly backoffLevel: number;
  readonly goodAnswers: number;
  readonly failuresInARow: number;
  readonly crawlDelayMs: number;
  /** The gap that the operator has named for the host; `null`: the crawl's settings go. */
  readonly policyGapMs: number | null;
}

export interface HoldRow {
  readonly who: string;
  readonly why: string;
  readonly since: Date;
  readonly until: Date | null;
}

/** A granted claim: the request to send, and what its outcome will be written against. */
export interface ClaimedRequest {
  readonly kind: 'page' | 'robots' | 'excluded';
  readonly lease: GrantedLease;
  readonly url: ClaimedUrl;
  readonly robots: RobotsState;
  readonly clock: HostClock;
}

/**
 * What came of asking for a host's next request. Waits are milliseconds, counted by Postgres.
 *
 * - `page`: fetch this URL; `robots`: its robots.txt must be read first; `excluded`: the host's policy excludes it. All
 *   hold the lease.
 * - `notYet`: the host may not be asked yet, or somebody else is asking it.
 * - `later`: nothing is due, or a policy forbids everything, before `waitMs`; `robots` tells whether the wait is for a
 *   robots.txt.
 */
export type Claim =
  | ClaimedRequest
  | { readonly kind: 'held'; readonly hold: HoldRow }
  | { readonly kind: 'notYet'; readonly waitMs: number }
  | { readonly kind: 'later'; readonly waitMs: number; readonly robots: boolean }
  | { readonly kind: 'empty' };

// Indexes: host_pkey, host_policy_pkey, url_assigned, host_crawl_pkey, robots_host_id_origin_key, source_pkey. The host's row is locked first and the
// clock read after that. An unreachable robots.txt that is due is asked for before it is given up (R16), or left aside by
// the crawl's own setting (RFC 9309 §2.3.1.4). The booking is the rule of domain/gap.ts for a fetch as long as the lease.
const CLAIM = `
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
  ), candidate as materialized (
    select u.*,
           c.name as crawl,
           c.settings,
           r.robots_id,
           substring(u.request_url from '^https?://[^/?#]+') as origin,
           coalesce(r.version, 0) as version,
           r.access,
           coalesce(r.tries, 0) as tries,
           r.hop_url,
           r.validators,
           coalesce(r.hops, 0) as robots_hops,
           s.gave_up,
           not s.gave_up
             and coalesce(r.access is null or coalesce(r.expires_at, r.retry_at) <= h.now, false) as robots_stale,
           s.waits_for_robots,
           hc.served_at,
           s.budget is not null and not u.reserved as needs_page,
           greatest(u.due_at, hc.blocked_until,
             case when s.waits_for_robots then s.robots_until
                  when s.budget is not null and not u.reserved and c.pages_settled + c.pages_reserved >= s.budget
                  then h.now + interval '5 seconds'
              end) as ready_at
      from host_now h
      join url u on u.host_id = $1 and u.state = 'assigned'
      join crawl c on c.crawl_id = u.crawl_id and c.state = 'running'
      join host_crawl hc on hc.host_id = u.host_id and hc.crawl_id = u.crawl_id
      left join robots r on r.host_id = u.host_id
                        and r.origin = substring(u.request_url from '^https?://[^/?#]+')
     cross join lateral (
       select (c.settings ->> 'pageBudget')::bigint as budget,
              case when c.settings ->> 'robotsOpenAfterMs' is null
                   then r.unreachable_since + (c.settings ->> 'robotsWaitMs')::bigint * interval '1 millisecond'
               end as give_up_at,
              r.unreachable_since + (c.settings ->> 'robotsOpenAfterMs')::bigint * interval '1 millisecond' as open_at
     ) w
     cross join lateral (
       select w.budget,
              coalesce(r.access = 'unreachable' and r.retry_at > h.now and w.give_up_at <= h.now, false) as gave_up,
              coalesce(r.access = 'unreachable' and r.retry_at > h.now, false)
                and coalesce(w.give_up_at > h.now, true)
                and coalesce(w.open_at > h.now, true) as waits_for_robots,
              least(r.retry_at, w.give_up_at, w.open_at) as robots_until
     ) s
  ), refusal as materialized (
    select h.hold_since is not null and (h.hold_until is null or h.hold_until > h.now) as held,
           greatest(h.next_allowed_at, h.lease_until) as allowed_at
      from host_now h
  ), chosen as materialized (
    select c.*
      from candidate c, host_now h, refusal
     where c.ready_at <= h.now
       and not refusal.held
       and (refusal.allowed_at is null or refusal.allowed_at <= h.now)
     order by c.served_at, c.due_at, c.key_hash
     limit 1
  ), reserve as (
    update crawl
       set pages_reserved = pages_reserved + 1
      from chosen
     where crawl.crawl_id = chosen.crawl_id
       and chosen.needs_page
       and not chosen.robots_stale
       and crawl.pages_settled + crawl.pages_reserved < (crawl.settings ->> 'pageBudget')::bigint
    returning true as granted
  ), taken as (
    update url
       set claims = url.claims + 1,
           reserved = url.reserved or chosen.needs_page
      from chosen
     where url.host_id = $1
       and url.crawl_id = chosen.crawl_id
       and url.key_hash = chosen.key_hash
       and url.state = 'assigned'
       and not chosen.robots_stale
       and (not chosen.needs_page or exists (select from reserve))
    returning url.claims, url.reserved
  ), leased as (
    update host
       set lease_token = $2,
           lease_crawl_id = chosen.crawl_id,
           lease_until = h.now + $3 * interval '1 millisecond',
           next_allowed_at = h.now + ($3 + booking.gap_ms) * interval '1 millisecond',
           clock_at = h.now,
           clock_owed_ms = $3 + booking.gap_ms,
           asked_since = today.began,
           asked = case when h.asked_since = today.began then h.asked + 1 else 1 end
      from host_now h
     cross join chosen
     cross join lateral (select date_trunc('day', h.now, 'UTC') as began) today
     cross join lateral (
       select greatest(coalesce((select gap_ms from policy),
                                greatest((chosen.settings ->> 'minGapMs')::float8,
                                         (chosen.settings ->> 'gapFactor')::float8 * $3)),
                       least(h.crawl_delay_ms, (chosen.settings ->> 'crawlDelayCapMs')::float8)) as ms
     ) gap
     cross join lateral (
       select ceil(greatest(gap.ms, least(gap.ms * (1 << h.backoff_level), 3600000))) as gap_ms
     ) booking
     where host.host_id = $1
       and (chosen.robots_stale or exists (select from taken))
    returning host.asked
  )
  select refusal.held,
         h.hold_who as "holdWho",
         h.hold_why as "holdWhy",
         h.hold_since as "holdSince",
         h.hold_until as "holdUntil",
         extract(epoch from refusal.allowed_at - h.now) * 1000 as "allowedInMs",
         h.clock_at > h.now as "clockSetBack",
         h.backoff_level as "backoffLevel",
         h.good_answers as "goodAnswers",
         h.failures_in_row as "failuresInARow",
         h.crawl_delay_ms as "crawlDelayMs",
         exists (select from leased) as "leased",
         (select asked from leased) as "asked",
         h.now,${POLICY_COLUMNS},
         next.due_in_ms as "dueInMs",
         next.waits_for_robots as "waitsForRobots",
         chosen.crawl_id as "crawlId",
         chosen.crawl,
         chosen.settings,
         chosen.key_hash as "keyHash",
         chosen.request_url as "requestUrl",
         chosen.depth,
         chosen.hops,
         (select s.url from source s where s.source_id = chosen.source_id) as "foundOn",
         coalesce((select claims from taken), chosen.claims) as "claims",
         chosen.failures,
         coalesce(extract(epoch from h.now - chosen.put_off_since) * 1000, 0) as "putOffMs",
         coalesce((select reserved from taken), chosen.reserved) as "reserved",
         chosen.origin,
         chosen.robots_id as "robotsId",
         chosen.version,
         chosen.access,
         chosen.tries,
         chosen.hop_url as "hopUrl",
         chosen.robots_hops as "robotsHops",
         chosen.gave_up as "gaveUp",
         chosen.robots_stale as "robotsStale",
         chosen.validators,
         chosen.last_answer as "lastAnswer"
    from host_now h
   cross join refusal
    left join policy on true
    left join chosen on true
    left join lateral (
      select extract(epoch from candidate.ready_at - h.now) * 1000 as due_in_ms,
             candidate.waits_for_robots
        from candidate
       order by candidate.ready_at
       limit 1
    ) next on true`;

interface ClaimRow extends PolicyColumns {
  readonly held: boolean;
  readonly holdWho: string | null;
  readonly holdWhy: string | null;
  readonly holdSince: Date;
  readonly holdUntil: Date | null;
  readonly allowedInMs: string | null;
  readonly clockSetBack: boolean | null;
  readonly backoffLevel: number;
  readonly goodAnswers: number;
  readonly failuresInARow: number;
  readonly crawlDelayMs: number;
  readonly leased: boolean;
  readonly asked: number | null;
  readonly now: Date;
  readonly dueInMs: string | null;
  readonly waitsForRobots: boolean | null;
  readonly crawlId: number;
  readonly crawl: string;
  readonly settings: StoredSettings;
  readonly keyHash: string;
  readonly requestUrl: string;
  readonly depth: number;
  readonly hops: number;
  readonly foundOn: string | null;
  readonly claims: number;
  readonly failures: number;
  readonly putOffMs: string;
  readonly reserved: boolean;
  readonly origin: string;
  readonly robotsId: number | null;
  readonly version: number;
  readonly access: RobotsAccess | null;
  readonly tries: number;
  readonly hopUrl: string | null;
  readonly robotsHops: number;
  readonly gaveUp: boolean;
  readonly robotsStale: boolean;
  readonly validators: ValidatorsOfUrl | null;
  readonly lastAnswer: LastAnswer | null;
}

/**
 * Claims a host for its next request, in one statement. It succeeds only where nobody else has the lease, the next
 * allowed time has come, nothing holds the host and something is due; then it books the time that a crash would owe.
 * Otherwise nothing changes. What the host's policy forbids for now is given back at once. Among several crawls the one served least recently goes first (R8).
 *
 * @param token a fresh UUID of this claim.
 */
export async function claim(db: Db, hostId: number, token: string): Promise<Claim> {
  const askedAtMs = performance.now();
  const { rows } = await db.query<ClaimRow>({
    name: 'claim',
    text: CLAIM,
    values: [hostId, token, LEASE_MS],
  });
  const row = rows[0];
  if (row === undefined) return { kind: 'empty' };
  if (row.leased) return underPolicy(db, row, granted(row, { hostId, token, askedAtMs }));
  if (row.clockSetBack === true) return { kind: 'notYet', waitMs: await rebaseClock(db, hostId) };
  return refused(row);
}

/** The rule is asked while the lease is held, so that no other request is counted meanwhile. */
async function underPolicy(db: Db, row: ClaimRow, claimed: ClaimedRequest): Promise<Claim> {
  const { lease, url } = claimed;
  const policy = policyIn(row);
  const ofCrawl = policy.pagesADay === null;
  const pagesADay = ofCrawl ? url.settings.hostPagesADay : policy.pagesADay;
  const nowMs = row.now.getTime();
  const ruling = policyRuling({ ...policy, pagesADay }, { asked: row.asked ?? 0, nowMs });
  switch (ruling.kind) {
    case 'allowed':
      return claimed;
    case 'excluded':
      return { ...claimed, kind: 'excluded' };
    case 'notBefore': {
      const { atMs, because: by } = ruling;
      const until = new Date(atMs);
      const { crawlId, keyHash } = url;
      const ofUrl = claimed.kind === 'page';
      const block = { lease, crawlId, keyHash, ofUrl, until, by };
      await blockHost(db, { ...block, ofCrawl: ofCrawl && by === 'pages a day' });
      return { kind: 'later', waitMs: atMs - nowMs, robots: false };
    }
  }
}

function refused(row: ClaimRow): Claim {
  if (row.dueInMs === null) return row.held ? held(row) : { kind: 'empty' };
  if (row.held) return held(row);
  const dueInMs = Number(row.dueInMs);
  const allowedInMs = Number(row.allowedInMs ?? 0);
  if (dueInMs > 0 && dueInMs >= allowedInMs) {
    return { kind: 'later', waitMs: Math.ceil(dueInMs), robots: row.waitsForRobots === true };
  }
  return { kind: 'notYet', waitMs: Math.max(Math.ceil(allowedInMs), 1) };
}

function held(row: ClaimRow): Claim {
  return {
    kind: 'held',
    hold: {
      who: row.holdWho ?? '',
      why: row.holdWhy ?? '',
      since: row.holdSince,
      until: row.holdUntil,
    },
  };
}

function granted(row: ClaimRow, lease: GrantedLease): ClaimedRequest {
  const { crawlId, crawl, settings, keyHash, depth, hops, foundOn, claims, failures, reserved } =
    row;
  const { origin, robotsId, version, access, tries, hopUrl, robotsHops, gaveUp, validators } = row;
  const { backoffLevel, goodAnswers, failuresInARow, crawlDelayMs, policyGapMs } = row;
  return {
    kind: row.robotsStale ? 'robots' : 'page',
    lease,
    url: {
      crawlId,
      crawl,
      settings: crawlSettingsOf(settings),
      keyHash,
      depth,
      hops,
      foundOn,
      claims,
      failures,
      putOffMs: Number(row.putOffMs),
      reserved,
      lastAnswer: row.lastAnswer,
      requestUrl: asRequestUrl(row.requestUrl),
    },
    robots: {
      origin,
      robotsId,
      version,
      access,
      tries,
      hopUrl,
      hops: robotsHops,
      gaveUp,
      validators,
    },
    clock: { backoffLevel, goodAnswers, failuresInARow, crawlDelayMs, policyGapMs },
  };
}
