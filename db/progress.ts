import type { CrawlState, EndReason } from '../domain/crawl-state.ts';
import type { CrawlProgress } from '../domain/progress.ts';
import { filterReport, type FilterReport } from '../domain/seen-test.ts';
import { oldestWaits } from './bands.ts';
import { choresOf } from './chores.ts';
import { leftOutOf } from './left-out.ts';
import type { Db } from './pool.ts';
import { prioritizerFaultsOf } from './prioritizer-faults.ts';
import { filteredOf } from './seen-filter-count.ts';
import { shortagesNow } from './shortages.ts';

// Indexes: crawl_pkey, shard_pkey, queued_count_pkey, outcome_count_pkey, host_active, host_held, host_crawl_pkey,
// host_crawl_crawl, url_assigned. Counts are kept by the one writer; only the assigned URLs are looked at one by one.
const PROGRESS = `
  with assigned as materialized (
    select u.host_id,
           u.due_at > clock_timestamp() as retry,
           h.hold_since is not null and (h.hold_until is null or h.hold_until > clock_timestamp()) as held,
           coalesce(r.access = 'unreachable' and r.retry_at > clock_timestamp(), false)
             and coalesce(r.unreachable_since + (c.settings ->> 'robotsOpenAfterMs')::bigint * interval '1 millisecond'
                          > clock_timestamp(), true) as robots,
           case
             when u.due_at > clock_timestamp() then u.due_at
             when r.access = 'unreachable' and r.retry_at > clock_timestamp() then
               least(r.retry_at,
                     r.unreachable_since + (c.settings ->> 'robotsWaitMs')::bigint * interval '1 millisecond')
             when h.hold_since is not null then h.hold_until
           end as until_at
      from url u
      join host h on h.host_id = u.host_id
      join crawl c on c.crawl_id = u.crawl_id
      left join robots r on r.host_id = u.host_id
                        and r.origin = substring(u.request_url from '^https?://[^/?#]+')
     where u.crawl_id = $1
       and u.state = 'assigned'
  )
  select c.name,
         c.state,
         c.end_reason as "endReason",
         c.started_at as "startedAt",
         c.ended_at as "endedAt",
         c.pages_settled as "pages",
         (c.settings ->> 'pageBudget')::bigint as "pageBudget",
         (c.settings ->> 'bands')::int as "bands",
         coalesce(c.settings ->> 'seenTest' = 'filter', false) as "byFilter",
         coalesce((select sum(bytes) from outcome_count where crawl_id = $1), 0)::bigint as "bytes",
         coalesce((select sum(known) from shard where crawl_id = $1), 0)::bigint as "known",
         coalesce((select jsonb_object_agg(outcome, fetches) from outcome_count where crawl_id = $1), '{}') as "outcomes",
         coalesce((select jsonb_object_agg(band, urls)
                     from (select band, sum(urls) as urls from queued_count where crawl_id = $1 group by band) q), '{}')
           as "queued",
         (select count(*)::int from assigned) as "assigned",
         (select count(*)::int from assigned where not held and retry) as "retries",
         (select count(*)::int from assigned where not held and not retry and robots) as "robotsWaits",
         (select count(*)::int from assigned where held) as "heldUrls",
         (select min(until_at) from assigned) as "until",
         coalesce((
           select jsonb_object_agg(state, hosts)
             from (
               select case when h.hold_since is not null
                            and (h.hold_until is null or h.hold_until > clock_timestamp()) then 'held'
                           else h.state end as state,
                      count(*) as hosts
                 from host h
                 join host_crawl hc on hc.host_id = h.host_id and hc.crawl_id = $1
                where h.state <> 'idle' or h.hold_since is not null
                group by 1
             ) s), '{}') as "hosts",
         (select count(*)::int from host_crawl where crawl_id = $1) as "allHosts"
    from crawl c
   where c.crawl_id = $1`;

interface ProgressRow {
  readonly name: string;
  readonly state: CrawlState;
  readonly endReason: EndReason | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly pages: number;
  readonly pageBudget: number | null;
  readonly bands: number;
  readonly byFilter: boolean;
  readonly bytes: number;
  readonly known: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly queued: Readonly<Record<string, number>>;
  readonly assigned: number;
  readonly retries: number;
  readonly robotsWaits: number;
  readonly heldUrls: number;
  readonly until: Date | null;
  readonly hosts: Readonly<Record<string, number>>;
  readonly allHosts: number;
}

/**
 * A snapshot of a crawl's counts.
 *
 * @throws Error where the crawl is not there any more.
 */
export async function readProgress(db: Db, crawlId: number): Promise<CrawlProgress> {
  const { rows } = await db.query<ProgressRow>({
    name: 'progress',
    text: PROGRESS,
    values: [crawlId],
  });
  const row = rows[0];
  if (row === undefined) throw new Error(`Crawl ${String(crawlId)} is not there any more`);
  const {
    name,
    state,
    endReason,
    startedAt,
    endedAt,
    pages,
    pageBudget,
    bytes,
    known,
    outcomes,
    assigned,
  } = row;
  return {
    name,
    state,
    endReason,
    startedAt,
    endedAt,
    pages,
    pageBudget,
    bytes,
    known,
    outcomes,
    assigned,
    hosts: hostsOf(row),
    queuedByBand: Array.from({ length: row.bands }, (_, at) => row.queued[String(at + 1)] ?? 0),
    oldestMsByBand: await oldestWaits(db, crawlId, row.bands),
    errors: (outcomes['failed'] ?? 0) + (outcomes['put off'] ?? 0),
    waiting: {
      retries: row.retries,
      robots: row.robotsWaits,
      held: row.heldUrls,
      until: row.until,
    },
    prioritizerFaults: await prioritizerFaultsOf(db, crawlId),
    seenFilter: row.byFilter ? await seenFilterOf(db, crawlId) : null,
    chores: await choresOf(db, crawlId),
    leftOut: await leftOutOf(db, crawlId),
    shortages: state === 'running' ? await shortagesNow(db) : [],
  };
}

function hostsOf({ hosts, allHosts }: ProgressRow): CrawlProgress['hosts'] {
  const { live = 0, resting = 0, held = 0, robots = 0 } = hosts;
  return {
    live,
    resting,
    held,
    robots,
    idle: Math.max(allHosts - live - resting - held - robots, 0),
  };
}

async function seenFilterOf(db: Db, crawlId: number): Promise<FilterReport> {
  const { tally, knownByShard } = await filteredOf(db, crawlId);
  return filterReport(tally, knownByShard);
}
