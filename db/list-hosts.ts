import type { HostState } from '../domain/crawl-state.ts';
import { gapReason, timeLeftMs, type GapReason, type PaceFacts } from '../domain/gap-reason.ts';
import type { HoldRow } from './claim.ts';
import {
  policyBlockIn,
  policyBlockOf,
  POLICY_COLUMNS,
  POLICY_OF_HOST,
  type BlockColumns,
  type PolicyColumns,
} from './host-policies.ts';
import type { Db } from './pool.ts';

/** What hosts may be sorted by. */
export const HOST_SORTS = ['next', 'name', 'gap', 'pages', 'queue'] as const;
export type HostSort = (typeof HOST_SORTS)[number];

/** Up to how many queued URLs of one host are counted. */
export const MOST_QUEUED_COUNTED = 10_000;

/** Which hosts, in which order, how many. */
export interface HostsOrder {
  /** Only this crawl's hosts, and its part of them; `null`: all crawls together. */
  readonly crawlId: number | null;
  readonly state: HostState | null;
  readonly sort: HostSort;
  readonly limit: number;
}

/** One host of the list. */
export interface ListedHost {
  readonly host: string;
  readonly state: HostState;
  readonly hold: HoldRow | null;
  readonly nextAllowedAt: Date | null;
  readonly gapMs: number;
  readonly gapReason: GapReason;
  /** Counted up to 10,000; whether there are more. */
  readonly queued: number;
  readonly queuedIsMore: boolean;
  readonly assigned: number;
  readonly pages: number;
  readonly lastFetch: {
    readonly outcome: string;
    readonly status: number | null;
    readonly reason: string | null;
    readonly at: Date;
  } | null;
  /** Pages × gap (R45); `null` where no gap is known yet. */
  readonly timeLeftMs: number | null;
}

const HELD = `(h.hold_since is not null and (h.hold_until is null or h.hold_until > now()))`;

// Parameters are constants when the statement is planned, so that a state wanted or not folds away and leaves
// conditions that host_active and host_held serve.
const OF_STATE = `
         ($1::text is null
          or $1 = 'held' and ${HELD}
          or $1 <> 'held' and h.state = $1 and not ${HELD})`;

/** One statement for all crawls, another for one: behind an "or" its hosts would be looked up one by one. */
interface Wanted {
  readonly hosts: string;
  /** The same of rows that have a crawl. */
  readonly rows: string;
}

const OF_ALL: Wanted = { hosts: `${OF_STATE} and $2::int is null`, rows: '$2::int is null' };

const OF_ONE: Wanted = {
  hosts: `${OF_STATE} and h.host_id in (select host_id from host_crawl where crawl_id = $2)`,
  rows: 'crawl_id = $2',
};

// Indexes: host_active and host_held for hosts that something is to become of, which are few; then the idle ones by
// host_host_key_key. No index has the clock, since it changes with every fetch.
const byNext = ({ hosts }: Wanted): string => `
  select host_id as "hostId"
    from ((select h.host_id, h.host_key, 1 as turn,
                  case when ${HELD} then greatest(h.next_allowed_at, coalesce(h.hold_until, 'infinity'))
                       else h.next_allowed_at end as at
             from host h
            where (h.state <> 'idle' or h.hold_since is not null and ${HELD})
              and ${hosts}
            order by at, h.host_key
            limit $3)
           union all
          (select h.host_id, h.host_key, 2 as turn, null as at
             from host h
            where h.state = 'idle'
              and not ${HELD}
              and ${hosts}
            order by h.host_key
            limit $3)) hosts
   order by turn, at, host_key
   limit $3`;

// Index: host_host_key_key, up to the limit.
const byName = ({ hosts }: Wanted): string => `
  select h.host_id as "hostId"
    from host h
   where ${hosts}
   order by h.host_key
   limit $3`;

// Reads every wanted host once and keeps the first few: the gap changes with every fetch, so it has no index.
const byGap = ({ hosts }: Wanted): string => `
  select h.host_id as "hostId"
    from host h
   where ${hosts}
   order by h.gap_ms desc, h.host_key
   limit $3`;

// As above, of host_crawl.
const byPages = ({ hosts, rows }: Wanted): string => `
  select h.host_id as "hostId"
    from host h
    left join (select host_id, sum(pages) as pages
                 from host_crawl
                where ${rows}
                group by host_id) p on p.host_id = h.host_id
   where ${hosts}
   order by coalesce(p.pages, 0) desc, h.host_key
   limit $3`;

// As above, with every URL in url_queued and url_assigned counted once: takes as long as the frontier is large. Two
// counts, since one over both states could use neither index.
const byQueue = ({ hosts, rows }: Wanted): string => `
  select h.host_id as "hostId"
    from host h
    left join (select host_id, count(*) as urls
                 from url
                where state = 'queued'
                  and ${rows}
                group by host_id) q on q.host_id = h.host_id
    left join (select host_id, count(*) as urls
                 from url
                where state = 'assigned'
                  and ${rows}
                group by host_id) a on a.host_id = h.host_id
   where ${hosts}
   order by coalesce(q.urls, 0) + coalesce(a.urls, 0) desc, h.host_key
   limit $3`;

const CHOOSE: Readonly<Record<HostSort, (wanted: Wanted) => string>> = {
  next: byNext,
  name: byName,
  gap: byGap,
  pages: byPages,
  queue: byQueue,
};

function wantedOf(crawlId: number | null): Wanted {
  return crawlId === null ? OF_ALL : OF_ONE;
}

// Indexes: host_pkey, host_policy_pkey, host_crawl_pkey, url_queued, url_assigned, fetch_record_host, crawl_pkey: of the chosen only.
const DESCRIBE = `
  select h.host_key as "host",
         case when ${HELD} then 'held' else h.state end as "state",
         h.hold_who as "holdWho",
         h.hold_why as "holdWhy",
         case when ${HELD} then h.hold_since end as "holdSince",
         h.hold_until as "holdUntil",
         greatest(nullif(h.next_allowed_at, 'epoch'), block.until) as "nextAllowedAt",${POLICY_COLUMNS},
         block.until as "policyUntil",
         block.by as "policyBlockBy",
         h.gap_ms as "gapMs",
         h.fetch_ms as "fetchMs",
         h.crawl_delay_ms as "crawlDelayMs",
         h.backoff_level as "backoffLevel",
         h.failures_in_row as "failuresInARow",
         case when h.blocked_until > now() then h.blocked_until end as "blockedUntil",
         c.settings as "policy",
         (select coalesce(sum(hc.pages), 0)::bigint
            from host_crawl hc
           where hc.host_id = h.host_id
             and ($2::int is null or hc.crawl_id = $2)) as "pages",
         (select count(*)::int
            from (select
                    from url u
                   where u.host_id = h.host_id
                     and u.state = 'queued'
                     and ($2::int is null or u.crawl_id = $2)
                   limit $3) q) as "queued",
         (select count(*)::int
            from url u
           where u.host_id = h.host_id
             and u.state = 'assigned'
             and ($2::int is null or u.crawl_id = $2)) as "assigned",
         f.outcome as "lastOutcome",
         f.status as "lastStatus",
         f.reason as "lastReason",
         f.fetched_at as "lastAt"
    from unnest($1::bigint[]) with ordinality as chosen (host_id, place)
    join host h on h.host_id = chosen.host_id
    left join crawl c on c.crawl_id = h.lease_crawl_id
    left join lateral (${POLICY_OF_HOST}
    ) policy on true
    left join lateral (${policyBlockOf('($2::int is null or hc.crawl_id = $2)')}
    ) block on true
    left join lateral (
      select outcome, status, reason, fetched_at
        from fetch_record
       where fetch_record.host_id = h.host_id
         and ($2::int is null or fetch_record.crawl_id = $2)
       order by fetch_id desc
       limit 1) f on true
   order by chosen.place`;

interface HostRow extends Omit<PaceFacts, 'policyBlock'>, PolicyColumns, BlockColumns {
  readonly host: string;
  readonly state: HostState;
  readonly holdWho: string | null;
  readonly holdWhy: string | null;
  readonly holdSince: Date | null;
  readonly holdUntil: Date | null;
  readonly nextAllowedAt: Date | null;
  readonly pages: number;
  readonly queued: number;
  readonly assigned: number;
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
  readonly lastReason: string | null;
  readonly lastAt: Date | null;
}

/**
 * The first hosts in the wanted order. `next` has hosts under way first, by their next allowed time, then the idle ones
 * by name; `gap`, `pages` and `queue` have the largest first.
 */
export async function listHosts(
  db: Db,
  { crawlId, state, sort, limit }: HostsOrder,
): Promise<readonly ListedHost[]> {
  const chosen = await db.query<{ hostId: number }>({
    text: CHOOSE[sort](wantedOf(crawlId)),
    values: [state, crawlId, limit],
  });
  const { rows } = await db.query<HostRow>({
    text: DESCRIBE,
    values: [chosen.rows.map(({ hostId }) => hostId), crawlId, MOST_QUEUED_COUNTED + 1],
  });
  return rows.map(listed);
}

// Reads every wanted host once.
const count = ({ hosts }: Wanted): string => `
  select count(*)::int as "hosts"
    from host h
   where ${hosts}`;

/** How many hosts the list would have without its limit. */
export async function countHosts(
  db: Db,
  { crawlId, state }: Pick<HostsOrder, 'crawlId' | 'state'>,
): Promise<number> {
  const text = count(wantedOf(crawlId));
  const { rows } = await db.query<{ hosts: number }>({ text, values: [state, crawlId] });
  return rows[0]?.hosts ?? 0;
}

function listed(row: HostRow): ListedHost {
  const { host, state, nextAllowedAt, gapMs, assigned, pages } = row;
  const queued = Math.min(row.queued, MOST_QUEUED_COUNTED);
  return {
    host,
    state,
    hold: holdOf(row),
    nextAllowedAt,
    gapMs,
    gapReason: gapReason({ ...row, policyBlock: policyBlockIn(row) }),
    queued,
    queuedIsMore: row.queued > MOST_QUEUED_COUNTED,
    assigned,
    pages,
    lastFetch: lastFetchOf(row),
    timeLeftMs: timeLeftMs(queued + assigned, gapMs),
  };
}

function holdOf({ holdWho, holdWhy, holdSince, holdUntil }: HostRow): HoldRow | null {
  return holdSince === null
    ? null
    : { who: holdWho ?? '', why: holdWhy ?? '', since: holdSince, until: holdUntil };
}

function lastFetchOf({
  lastOutcome: outcome,
  lastStatus: status,
  lastReason: reason,
  lastAt: at,
}: HostRow): ListedHost['lastFetch'] {
  return outcome === null || at === null ? null : { outcome, status, reason, at };
}
