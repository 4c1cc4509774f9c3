import { bandChooser, type BandChoice } from '../domain/band-rules.ts';
import { crawlSettingsOf, type StoredSettings } from '../domain/crawl-settings.ts';
import type { HostState } from '../domain/crawl-state.ts';
import { formatDuration } from '../domain/duration.ts';
import { gapReason, type GapReason, type PaceFacts } from '../domain/gap-reason.ts';
import { hostKeyOf, originOf, type HostKey } from '../domain/host-key.ts';
import { instantText } from '../domain/instant.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import type { RobotsAccess } from '../domain/robots-access.ts';
import { shortageText, type Shortage } from '../domain/shortage.ts';
import { urlKeyOf } from '../domain/url-key.ts';
import type { HostPolicy, PolicyBlock } from '../domain/host-policy.ts';
import type { HoldRow } from './claim.ts';
import { listCrawls } from './crawls.ts';
import { judgement } from './explain-robots.ts';
import {
  policyBlockIn,
  POLICY_COLUMNS,
  POLICY_OF_HOST,
  policyBlockOf,
  policyIn,
  type BlockColumns,
  type PolicyColumns,
} from './host-policies.ts';
import { leftOutOfHost, type LeftOutCounts } from './left-out.ts';
import type { Db } from './pool.ts';
import { robotsOfHost, type StoredRobots } from './robots.ts';
import { shortagesNow } from './shortages.ts';

/** One fetch, as `why` lists it. */
export interface ExplainedFetch {
  readonly url: string;
  readonly at: Date;
  readonly status: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly fetchMs: number;
}

/** Everything that decides when a host is asked next (R45). */
export interface HostExplanation {
  readonly host: string;
  readonly state: HostState;
  readonly nextAllowedAt: Date;
  readonly gapMs: number;
  readonly gapReason: GapReason;
  readonly backoffLevel: number;
  readonly blockedUntil: Date | null;
  readonly hold: HoldRow | null;
  /** What the operator says about it; `subject` is the host, or the domain that it is in. */
  readonly policy: (HostPolicy & { readonly subject: string }) | null;
  readonly queued: number;
  readonly assigned: number;
  readonly robots: readonly {
    readonly origin: string;
    readonly access: RobotsAccess | null;
    readonly fetchedAt: Date | null;
    readonly retryAt: Date | null;
  }[];
  readonly lastFetch: ExplainedFetch | null;
  /** Links that were left out for what this host is, by rule: signs of a trap, a full queue (R24). */
  readonly leftOut: LeftOutCounts;
  /** One sentence: why nothing is being fetched now, or that it is. */
  readonly reason: string;
}

/** A URL's state and the reason for it (R45). */
export interface UrlExplanation {
  readonly url: string;
  readonly crawl: string;
  readonly state: string;
  readonly reason: string | null;
  readonly band: number;
  /** The band into which the crawl's rules as now set put it, and the rule that does. */
  readonly bandByRules: BandChoice;
  readonly depth: number;
  readonly dueAt: Date | null;
  readonly failures: number;
  readonly claims: number;
  readonly foundOn: string | null;
  /** What its sitemap says of it, from 0 to 1. */
  readonly sitemapPriority: number | null;
  readonly host: HostExplanation;
  /** Which file, which line, fetched when (R20). */
  readonly robots: string;
  readonly fetches: readonly ExplainedFetch[];
}

// Indexes: host_host_key_key, host_policy_pkey, host_crawl_pkey, ready_pkey, url_assigned.
const HOST = `
  select h.host_id as "hostId",
         h.host_key as "host",
         h.state,
         h.lease_until > clock_timestamp() as "inFlight",
         case when h.next_allowed_at = 'epoch' then clock_timestamp() else h.next_allowed_at end as "nextAllowedAt",
         extract(epoch from h.next_allowed_at - clock_timestamp()) * 1000 as "allowedInMs",
         h.gap_ms as "gapMs",
         h.fetch_ms as "fetchMs",
         h.crawl_delay_ms as "crawlDelayMs",
         h.failures_in_row as "failuresInARow",
         (select settings from crawl c where c.crawl_id = h.lease_crawl_id) as "policy",
         h.backoff_level as "backoffLevel",
         case when h.blocked_until > clock_timestamp() then h.blocked_until end as "blockedUntil",
         h.hold_who as "holdWho",
         h.hold_why as "holdWhy",
         case when h.hold_until is null or h.hold_until > clock_timestamp() then h.hold_since end as "holdSince",
         h.hold_until as "holdUntil",${POLICY_COLUMNS},
         block.until as "policyUntil",
         block.by as "policyBlockBy",
         (select coalesce(sum(r.urls), 0)::int
            from host_crawl hc
            join ready r on r.crawl_id = hc.crawl_id and r.host_id = hc.host_id
           where hc.host_id = h.host_id) as "queued",
         (select count(*)::int from url u where u.host_id = h.host_id and u.state = 'assigned') as "assigned",
         (select count(*)::int from url u
           where u.host_id = h.host_id and u.state = 'assigned' and u.due_at <= clock_timestamp()) as "due",
         exists (select from host_crawl hc join crawl c on c.crawl_id = hc.crawl_id
                  where hc.host_id = h.host_id and c.state = 'running') as "crawled"
    from host h
    left join lateral (${POLICY_OF_HOST}
    ) policy on true
    left join lateral (${policyBlockOf(`exists (select from crawl c where c.crawl_id = hc.crawl_id and c.state = 'running')`)}
    ) block on true
   where h.host_key = $1`;

interface HostRow extends Omit<PaceFacts, 'policyBlock'>, PolicyColumns, BlockColumns {
  readonly hostId: number;
  readonly host: string;
  readonly state: Exclude<HostState, 'held'>;
  readonly inFlight: boolean | null;
  readonly nextAllowedAt: Date;
  readonly allowedInMs: string;
  readonly holdWho: string | null;
  readonly holdWhy: string | null;
  readonly holdSince: Date | null;
  readonly holdUntil: Date | null;
  readonly queued: number;
  readonly assigned: number;
  readonly due: number;
  readonly crawled: boolean;
}

/** What is known of a host, and why it is or isn't being asked; `undefined` where no crawl has met it. */
export async function explainHost(db: Db, host: HostKey): Promise<HostExplanation | undefined> {
  const { rows } = await db.query<HostRow>({ name: 'explain_host', text: HOST, values: [host] });
  const row = rows[0];
  if (row === undefined) return undefined;
  const files = await robotsOfHost(db, row.hostId);
  const [lastFetch] = await fetchesOf(db, row.hostId, null, 1);
  const { nextAllowedAt, gapMs, backoffLevel, blockedUntil, queued, assigned } = row;
  const hold = holdOf(row);
  return {
    host,
    nextAllowedAt,
    gapMs,
    gapReason: gapReason({ ...row, policyBlock: policyBlockIn(row) }),
    backoffLevel,
    blockedUntil,
    queued,
    assigned,
    hold,
    policy: row.policySubject === null ? null : { ...policyIn(row), subject: row.policySubject },
    state: hold === null ? row.state : 'held',
    robots: files.map(({ origin, access, fetchedAt, retryAt }) => ({
      origin,
      access,
      fetchedAt,
      retryAt,
    })),
    lastFetch: lastFetch ?? null,
    leftOut: await leftOutOfHost(db, host),
    reason: reasonOf(row, { hold, files, shortages: await shortagesNow(db) }),
  };
}

function holdOf({ holdWho, holdWhy, holdSince, holdUntil }: HostRow): HoldRow | null {
  return holdSince === null
    ? null
    : { who: holdWho ?? '', why: holdWhy ?? '', since: holdSince, until: holdUntil };
}

function reasonOf(
  row: HostRow,
  {
    hold,
    files,
    shortages,
  }: {
    readonly hold: HoldRow | null;
    readonly files: readonly StoredRobots[];
    readonly shortages: readonly Shortage[];
  },
): string {
  if (row.inFlight === true) return 'A request to it is in flight.';
  if (hold !== null) {
    const until = hold.until === null ? 'until resumed' : `until ${instantText(hold.until)}`;
    return `Held by ${hold.who}, "${hold.why}", since ${instantText(hold.since)}, ${until}.`;
  }
  if (!row.crawled) return 'No crawl that knows it is running.';
  if (shortages.length > 0 && row.assigned + row.queued > 0)
    return `Held: ${shortages.map(shortageText).join('; ')}.`;
  if (row.policyExcluded === true)
    return `Excluded by the policy of ${row.policySubject ?? ''}: nothing is asked for.`;
  const block = policyBlockIn(row);
  if (block !== null)
    return `Left alone until ${instantText(block.until)}: ${blockText(row, block.by)}.`;
  if (row.blockedUntil !== null)
    return `It asked for rest or fails: left alone until ${instantText(row.blockedUntil)}.`;
  const unread = files.find(({ access }) => access === 'unreachable');
  if (unread?.retryAt != null) {
    return `Its robots.txt (${unread.origin}) is unreachable: nothing is allowed; asked again at ${instantText(unread.retryAt)}.`;
  }
  const allowedInMs = Number(row.allowedInMs);
  if (row.assigned + row.queued === 0) return 'Nothing of it is queued.';
  if (row.assigned === 0) return 'Its URLs wait in their front queues for the prioritizer.';
  if (row.due === 0) return 'Only URLs that await a retry are left.';
  if (allowedInMs > 0)
    return `Its politeness gap (${formatDuration(row.gapMs)}) runs for another ${formatDuration(allowedInMs)}.`;
  return 'It may be asked now; its workflow is about to.';
}

function blockText(row: HostRow, by: PolicyBlock): string {
  const { hours, pagesADay } = policyIn(row);
  if (by === 'hours') return `outside the hours of its policy, ${hours?.text ?? ''}`;
  return pagesADay === null
    ? "it has had the crawl's pages of a day"
    : `it has had its pages of the day, ${String(pagesADay)}`;
}

// Index: fetch_record_url.
const FETCHES = `
  select request_url as "url",
         fetched_at as "at",
         status,
         outcome,
         reason,
         fetch_ms as "fetchMs"
    from fetch_record
   where host_id = $1
     and ($2::uuid is null or key_hash = $2)
   order by fetch_id desc
   limit $3`;

async function fetchesOf(
  db: Db,
  hostId: number,
  keyHash: string | null,
  count: number,
): Promise<ExplainedFetch[]> {
  const { rows } = await db.query<ExplainedFetch>({
    name: 'explain_fetches',
    text: FETCHES,
    values: [hostId, keyHash, count],
  });
  return rows;
}

// Indexes: host_host_key_key, url_pkey, source_pkey. Each crawl has its own rules for keys.
const URL = `
  select u.request_url as "url",
         u.host_id as "hostId",
         u.key_hash as "keyHash",
         c.name as "crawl",
         c.settings,
         u.state,
         u.reason,
         u.band,
         u.depth,
         u.due_at as "dueAt",
         u.failures,
         u.claims,
         u.sitemap_priority as "sitemapPriority",
         (select s.url from source s where s.source_id = u.source_id) as "foundOn"
    from unnest($2::int[], $3::text[]) as asked (crawl_id, key)
    join crawl c on c.crawl_id = asked.crawl_id
    join url u on u.host_id = (select host_id from host where host_key = $1)
              and u.crawl_id = asked.crawl_id
              and u.key_hash = md5(asked.key)::uuid
   order by c.started_at desc
   limit 1`;

interface UrlRow extends Omit<
  UrlExplanation,
  'host' | 'robots' | 'fetches' | 'dueAt' | 'bandByRules'
> {
  readonly dueAt: Date;
  readonly hostId: number;
  readonly keyHash: string;
  readonly settings: StoredSettings;
}

/**
 * What a URL's state is and why, in the named crawl or the one begun last; `undefined` where no crawl knows it.
 *
 * @param prioritizerFor reads the module that a crawl may have.
 */
export async function explainUrl(
  db: Db,
  url: RequestUrl,
  {
    crawlName,
    prioritizerFor,
  }: {
    readonly crawlName?: string | undefined;
    readonly prioritizerFor?: PrioritizerFor;
  } = {},
): Promise<UrlExplanation | undefined> {
  const crawls = (await listCrawls(db)).filter(
    ({ name }) => crawlName === undefined || name === crawlName,
  );
  const values = [
    hostKeyOf(url),
    crawls.map(({ crawlId }) => crawlId),
    crawls.map(({ settings }) => urlKeyOf(url, settings)),
  ];
  const { rows } = await db.query<UrlRow>({ name: 'explain_url', text: URL, values });
  const row = rows[0];
  const host = await explainHost(db, hostKeyOf(url));
  if (row === undefined || host === undefined) return undefined;
  const files = await robotsOfHost(db, row.hostId);
  const { hostId, keyHash, settings, dueAt, ...known } = row;
  const rules = crawlSettingsOf(settings);
  const file = rules.prioritizer;
  const choose = bandChooser(rules, file === null ? undefined : await prioritizerFor?.(file));
  const waits = known.state === 'queued' || known.state === 'assigned';
  return {
    ...known,
    bandByRules: choose({
      url: asRequestUrl(known.url),
      depth: known.depth,
      foundOn: known.foundOn ?? undefined,
      sitemapPriority: known.sitemapPriority ?? undefined,
    }),
    dueAt: waits ? dueAt : null,
    host,
    robots: robotsSentence(
      files.find(({ origin }) => origin === originOf(url)),
      url,
      rules.userAgent,
    ),
    fetches: await fetchesOf(db, hostId, keyHash, 5),
  };
}

function robotsSentence(
  file: StoredRobots | undefined,
  url: RequestUrl,
  userAgent: string,
): string {
  if (file?.access == null) return `${originOf(url)}/robots.txt has not been read yet.`;
  const source = `${file.origin}/robots.txt`;
  const when = file.fetchedAt === null ? '' : `, fetched ${instantText(file.fetchedAt)}`;
  switch (file.access) {
    case 'unreachable': {
      const since = file.unreachableSince;
      const begun = since === null ? 'its first fetch' : instantText(since);
      return `${source} is unreachable since ${begun}: nothing is allowed.`;
    }
    case 'allowAll':
      return `${source} is unavailable (status ${String(file.status ?? '')}${when}): everything is allowed.`;
    case 'rules': {
      const { allowed, rule, line } = judgement(file, url, userAgent).verdict;
      const by = rule === undefined ? 'no rule matches' : `line ${String(line)}: ${rule}`;
      return `${allowed ? 'Allowed' : 'Forbidden'} by ${source} (${by}${when}).`;
    }
  }
}
