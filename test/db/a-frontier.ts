import { randomUUID } from 'node:crypto';
import { claim, type Claim, type ClaimedRequest } from '../../db/claim.ts';
import { openCrawl, saveCrawl } from '../../db/crawls.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { FoundLink, HostSettlement, OutboxRow, Settlement } from '../../db/settle.ts';
import { HEALTHY } from '../../domain/backoff.ts';
import { DEFAULT_SETTINGS, type CrawlSettings } from '../../domain/crawl-settings.ts';

export const USER_AGENT = 'DecorumTest/1.0 (+https://example.com/bot)';

export function settingsOf(changes: Partial<CrawlSettings> = {}): CrawlSettings {
  return {
    ...DEFAULT_SETTINGS,
    userAgent: USER_AGENT,
    scope: 'any',
    allowPrivate: true,
    ...changes,
  };
}

/** A crawl that runs; gives its id. */
export async function runningCrawl(
  db: Db,
  changes: Partial<CrawlSettings> = {},
  name = 'test',
): Promise<number> {
  const { crawlId } = await saveCrawl(db, name, settingsOf(changes));
  await openCrawl(db, name, true);
  return crawlId;
}

/** A host whose robots.txt allows everything. */
export async function openHost(db: Db, hostKey: string): Promise<number> {
  const hostId = await ensureHost(db, hostKey);
  await db.query(
    `insert into robots (host_id, origin, access, version, status, fetched_at, expires_at)
     values ($1, $2, 'allowAll', 1, 404, now(), now() + interval '1 day')
     on conflict do nothing`,
    [hostId, `http://${hostKey}`],
  );
  return hostId;
}

export interface GivenUrl {
  readonly state?: string;
  readonly band?: number;
  readonly dueInMs?: number;
  readonly claims?: number;
  readonly failures?: number;
  readonly hops?: number;
  readonly reserved?: boolean;
  readonly foundOn?: string;
}

/** A URL in its host's back queue, or in another state, past the outbox. */
export async function givenUrl(
  db: Db,
  { crawlId, hostId }: { readonly crawlId: number; readonly hostId: number },
  url: string,
  given: GivenUrl = {},
): Promise<void> {
  const { state = 'assigned', band = 1, dueInMs = -1_000, claims = 0, failures = 0 } = given;
  const { hops = 0, reserved = false, foundOn = null } = given;
  await db.query(
    `insert into host_crawl (host_id, crawl_id) values ($1, $2) on conflict do nothing`,
    [hostId, crawlId],
  );
  const sourceId = foundOn === null ? null : await givenSource(db, crawlId, foundOn);
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, hops, claims, failures, reserved,
                      source_id, due_at)
     values ($1, $2, md5($3)::uuid, $3, $4, $5, 0, $6, $7, $8, $9, $10,
             clock_timestamp() + $11 * interval '1 millisecond')`,
    [hostId, crawlId, url, state, band, hops, claims, failures, reserved, sourceId, dueInMs],
  );
}

async function givenSource(db: Db, crawlId: number, url: string): Promise<number> {
  const { rows } = await db.query<{ sourceId: number }>(
    `insert into source (crawl_id, url) values ($1, $2) returning source_id as "sourceId"`,
    [crawlId, url],
  );
  return first(rows).sourceId;
}

/** A running crawl with one open host that has one due URL. */
export async function oneHost(
  db: Db,
  changes: Partial<CrawlSettings> = {},
): Promise<{ readonly crawlId: number; readonly hostId: number }> {
  const crawlId = await runningCrawl(db, changes);
  const hostId = await openHost(db, 'one.test');
  await givenUrl(db, { crawlId, hostId }, 'http://one.test/');
  return { crawlId, hostId };
}

export function claimNow(db: Db, hostId: number): Promise<Claim> {
  return claim(db, hostId, randomUUID());
}

export async function grantedClaim(db: Db, hostId: number): Promise<ClaimedRequest> {
  const claimed = await claimNow(db, hostId);
  if (claimed.kind === 'page' || claimed.kind === 'robots') return claimed;
  throw new Error(`The claim was refused: ${JSON.stringify(claimed)}`);
}

/** A host's row with its times as milliseconds from now; infinities become `null`. */
export interface HostLine {
  readonly token: string | null;
  readonly leaseInMs: number | null;
  readonly allowedInMs: number | null;
  readonly blockedInMs: number | null;
  readonly owedMs: number | null;
  readonly state: string;
  readonly backoffLevel: number;
  readonly goodAnswers: number;
  readonly failuresInARow: number;
  readonly crawlDelayMs: number;
}

export async function hostLine(db: Db, hostId: number): Promise<HostLine> {
  const { rows } = await db.query<HostLine>(
    `select lease_token as token,
            (extract(epoch from lease_until - now()) * 1000)::float8 as "leaseInMs",
            (extract(epoch from nullif(next_allowed_at, 'epoch') - now()) * 1000)::float8 as "allowedInMs",
            (extract(epoch from blocked_until - now()) * 1000)::float8 as "blockedInMs",
            clock_owed_ms as "owedMs", state, backoff_level as "backoffLevel", good_answers as "goodAnswers",
            failures_in_row as "failuresInARow", crawl_delay_ms as "crawlDelayMs"
       from host
      where host_id = $1`,
    [hostId],
  );
  return first(rows);
}

export interface UrlLine {
  readonly url: string;
  readonly state: string;
  readonly claims: number;
  readonly failures: number;
  readonly hops: number;
  readonly reserved: boolean;
  readonly reason: string | null;
  readonly dueInMs: number;
}

export async function urlLines(db: Db): Promise<readonly UrlLine[]> {
  const { rows } = await db.query<UrlLine>(
    `select request_url as url, state, claims, failures, hops, reserved, reason,
            (extract(epoch from due_at - now()) * 1000)::float8 as "dueInMs"
       from url
      order by request_url collate "C"`,
  );
  return rows;
}

/** Pages reserved and settled of a crawl. */
export async function pagesOf(
  db: Db,
  crawlId: number,
): Promise<{ readonly reserved: number; readonly settled: number }> {
  const { rows } = await db.query<{ reserved: number; settled: number }>(
    `select pages_reserved as reserved, pages_settled as settled from crawl where crawl_id = $1`,
    [crawlId],
  );
  return first(rows);
}

export async function readyLines(
  db: Db,
): Promise<readonly { readonly host: string; readonly band: number; readonly standing: string }[]> {
  const { rows } = await db.query<{ host: string; band: number; standing: string }>(
    `select h.host_key as host, r.band, r.standing
       from ready r
       join host h on h.host_id = r.host_id
      order by 1, 2`,
  );
  return rows;
}

export async function countOf(db: Db, from: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from ${from}`,
    values,
  );
  return first(rows).count;
}

const TABLES = [
  'crawl',
  'host_policy',
  'shard',
  'queued_count',
  'outcome_count',
  'host',
  'host_crawl',
  'url',
  'source',
  'ready',
  'outbox',
  'chore',
  'left_out',
];

/** Everything in the database, to tell whether a statement changed anything at all. */
export async function everything(db: Db): Promise<string> {
  const parts: string[] = [];
  for (const table of [...TABLES, 'robots', 'fetch_record']) {
    const { rows } = await db.query<{ all: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as all from ${table} t`,
    );
    parts.push(`${table}: ${first(rows).all ?? ''}`);
  }
  return parts.join('\n');
}

export function linkTo(url: string, { band = 1, depth = 0 } = {}): FoundLink {
  return { url, key: url, host: new URL(url).hostname, depth, hops: 0, band };
}

/** Leaves one outbox row for the one writer, as a visit's settle does. */
export async function leaveOutbox(
  db: Db,
  crawlId: number,
  row: Partial<OutboxRow> & { readonly hostId?: number; readonly shard?: number },
): Promise<void> {
  const { hostId, shard, outcome, bytes, settled, released, foundOn, links, leftOut } = row;
  await db.query(
    `insert into outbox (crawl_id, shard, host_id, outcome, bytes, settled, released, found_on, links, left_out)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      crawlId,
      shard ?? 0,
      hostId,
      outcome,
      bytes ?? 0,
      settled ?? 0,
      released ?? 0,
      foundOn,
      JSON.stringify(links ?? []),
      leftOut === undefined ? null : JSON.stringify(leftOut),
    ],
  );
}

/** What a quick good fetch leaves its host with. */
export const GOOD: HostSettlement = {
  owedMs: 1_000,
  gapMs: 1_000,
  fetchMs: 20,
  blockedMs: null,
  health: HEALTHY,
};

/** A settlement of a claimed page that was fetched. */
export function fetchedSettlement(
  { url }: ClaimedRequest,
  {
    host = GOOD,
    links = [],
  }: { readonly host?: HostSettlement | null; readonly links?: readonly FoundLink[] } = {},
): Settlement {
  const { crawlId, keyHash, requestUrl, hops, failures, reserved } = url;
  return {
    crawlId,
    host,
    url: {
      keyHash,
      state: 'done',
      requestUrl,
      hops,
      failures,
      dueInMs: 0,
      reason: null,
      reserved: false,
    },
    record: {
      requestUrl,
      fetchedAgoMs: 20,
      fetchMs: 20,
      status: 200,
      outcome: 'fetched',
      reason: null,
      location: null,
      contentType: 'text/html',
      digest: 'sha1:X',
      bodyBytes: 100,
      truncated: false,
      links: links.length,
      title: 'A page',
      noindex: false,
      warcFile: null,
      warcOffset: null,
      warcLength: null,
    },
    outbox: {
      outcome: 'fetched',
      bytes: 100,
      settled: 1,
      released: reserved ? 1 : 0,
      foundOn: requestUrl,
      links,
      elsewhere: [],
    },
  };
}

/** The first row of an answer that must have one. */
export function first<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('No row');
  return row;
}
