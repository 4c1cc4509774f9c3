import type { HostHealth } from '../domain/backoff.ts';
import type { LastAnswer } from '../domain/validators.ts';
import type { Lease } from './claim.ts';
import type { Db } from './pool.ts';

/** What the fetch leaves the host with; absent where no request was sent, and the host owes nothing. */
export interface HostSettlement {
  /** Milliseconds from now until the host may be asked again, the gap's elapsed part already taken off. */
  readonly owedMs: number;
  /** The politeness gap and the fetch's time, as they are shown to people. */
  readonly gapMs: number;
  readonly fetchMs: number;
  /** Retry-After or a rest, from now; `null` where there is none. */
  readonly blockedMs: number | null;
  readonly health: HostHealth;
}

/** The next state of the URL. `dueInMs` counts from now. */
export interface UrlSettlement {
  readonly keyHash: string;
  readonly state: 'done' | 'assigned' | 'dead' | 'excluded';
  readonly requestUrl: string;
  readonly hops: number;
  readonly failures: number;
  readonly dueInMs: number;
  readonly reason: string | null;
  readonly reserved: boolean;
  /** Answered by 429 or 503, so that the time runs since its first such answer in a row. */
  readonly isPutOff?: true;
  /** What it may be asked about next time; absent where that stays as it is. */
  readonly lastAnswer?: LastAnswer | null;
}

/** One row of `fetch_record`. Text is free of U+0000, which Postgres cannot hold. */
export interface FetchRecord {
  readonly requestUrl: string;
  readonly fetchedAgoMs: number;
  readonly fetchMs: number;
  readonly status: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly location: string | null;
  readonly contentType: string | null;
  readonly digest: string | null;
  readonly bodyBytes: number;
  readonly truncated: boolean;
  readonly links: number;
  readonly title: string | null;
  readonly noindex: boolean;
  readonly warcFile: string | null;
  readonly warcOffset: number | null;
  readonly warcLength: number | null;
}

/** A URL on its way into the frontier. */
export interface FoundLink {
  readonly url: string;
  readonly key: string;
  readonly host: string;
  readonly depth: number;
  readonly hops: number;
  readonly band: number;
  /** From 0 to 1, where a sitemap says so. */
  readonly sitemapPriority?: number;
  /** The crawl's `rebands` when its band was chosen; absent where it was 0. */
  readonly rebands?: number;
}

/** What the one writer will count and take in. */
export interface OutboxRow {
  readonly outcome: string | null;
  readonly bytes: number;
  readonly settled: 0 | 1;
  readonly released: 0 | 1;
  readonly foundOn: string | null;
  readonly links: readonly FoundLink[];
  /** Links that were left out, by rule. */
  readonly leftOut?: Readonly<Record<string, number>>;
  /** Links of a crawl with several shards: a row each. */
  readonly elsewhere: readonly ShardLinks[];
}

/** Links whose hosts are all in one shard. */
export interface ShardLinks {
  readonly shard: number;
  readonly links: readonly FoundLink[];
}

export interface Settlement {
  /** The crawl for which the request was sent. */
  readonly crawlId: number;
  readonly host: HostSettlement | null;
  /** `null` for a robots.txt, which changes no URL. */
  readonly url: UrlSettlement | null;
  readonly record: FetchRecord | null;
  readonly outbox: OutboxRow | null;
}

// Indexes: host_pkey, url_pkey, host_crawl_pkey. The host is written first and everything else depends on it, so a
// lost lease changes nothing. Links of hosts in several shards are left for each shard's own writer. Where the lease ran out the later next allowed time stands.
const SETTLE = `
  with settled as (
    update host
       set lease_token = null,
           lease_until = null,
           next_allowed_at = case
             when lease_until >= clock_timestamp() then clock_timestamp() + $3 * interval '1 millisecond'
             else greatest(next_allowed_at, clock_timestamp() + $3 * interval '1 millisecond')
           end,
           clock_at = clock_timestamp(),
           clock_owed_ms = $3,
           gap_ms = coalesce($4, gap_ms),
           fetch_ms = coalesce($5, fetch_ms),
           blocked_until = case
             when $4::bigint is null then blocked_until
             else clock_timestamp() + $6 * interval '1 millisecond'
           end,
           backoff_level = coalesce($7, backoff_level),
           good_answers = coalesce($8, good_answers),
           failures_in_row = coalesce($9, failures_in_row),
           asked = case when $4::bigint is null then greatest(asked - 1, 0) else asked end
     where host_id = $1
       and lease_token = $2
    returning host_id
  ), urls as (
    update url
       set state = ($12::jsonb ->> 'state')::url_state,
           request_url = $12::jsonb ->> 'requestUrl',
           hops = ($12::jsonb ->> 'hops')::smallint,
           failures = ($12::jsonb ->> 'failures')::smallint,
           due_at = clock_timestamp() + ($12::jsonb ->> 'dueInMs')::float8 * interval '1 millisecond',
           reason = $12::jsonb ->> 'reason',
           reserved = ($12::jsonb ->> 'reserved')::boolean,
           put_off_since = case when $12::jsonb ? 'isPutOff' then coalesce(put_off_since, clock_timestamp()) end,
           last_answer = case when $12::jsonb ? 'lastAnswer' then nullif($12::jsonb -> 'lastAnswer', 'null') else last_answer end,
           claims = 0
      from settled
     where url.host_id = $1
       and url.crawl_id = $10
       and url.key_hash = $11
       and url.state = 'assigned'
  ), served as (
    update host_crawl
       set served_at = clock_timestamp(),
           pages = pages + coalesce(($14::jsonb ->> 'settled')::int, 0)
      from settled
     where host_crawl.host_id = $1
       and host_crawl.crawl_id = $10
    returning shard
  ), recorded as (
    insert into fetch_record
           (crawl_id, host_id, key_hash, request_url, fetched_at, fetch_ms, status, outcome, reason, location,
            content_type, digest, body_bytes, truncated, links, title, noindex, warc_file, warc_offset, warc_length)
    select $10, $1, $11, r."requestUrl", clock_timestamp() - r."fetchedAgoMs" * interval '1 millisecond',
           r."fetchMs", r.status, r.outcome, r.reason, r.location, r."contentType", r.digest, r."bodyBytes",
           r.truncated, r.links, r.title, r.noindex, r."warcFile", r."warcOffset", r."warcLength"
      from settled,
           jsonb_to_record($13::jsonb) as r (
             "requestUrl" text, "fetchedAgoMs" float8, "fetchMs" integer, status smallint, outcome text, reason text,
             location text, "contentType" text, digest text, "bodyBytes" bigint, truncated boolean, links integer,
             title text, noindex boolean, "warcFile" text, "warcOffset" bigint, "warcLength" bigint)
     where $13::jsonb is not null
  ), left_over as (
    insert into outbox (crawl_id, shard, host_id, outcome, bytes, settled, released, found_on, links, left_out)
    select $10, coalesce((select shard from served), 0), $1, o.outcome, o.bytes, o.settled, o.released, o."foundOn",
           o.links, o."leftOut"
      from settled,
           jsonb_to_record($14::jsonb) as o (
             outcome text, bytes bigint, settled smallint, released smallint, "foundOn" text, links jsonb,
             "leftOut" jsonb)
     where $14::jsonb is not null
  ), left_over_elsewhere as (
    insert into outbox (crawl_id, shard, found_on, links)
    select $10, o.shard, $14::jsonb ->> 'foundOn', o.links
      from settled,
           jsonb_to_recordset($14::jsonb -> 'elsewhere') as o (shard smallint, links jsonb)
     where $14::jsonb is not null
  )
  select true as "settled"
    from settled`;

/**
 * Writes what became of a claim, in one statement: the fetch record, the URL's state, an outbox row, the host's
 * health and its true next allowed time.
 *
 * @returns false where the lease was lost to somebody else; then nothing was written.
 */
export async function settle(db: Db, lease: Lease, settlement: Settlement): Promise<boolean> {
  const { crawlId, host, url, record, outbox } = settlement;
  const { rowCount } = await db.query({
    name: 'settle',
    text: SETTLE,
    values: [
      lease.hostId,
      lease.token,
      Math.max(Math.ceil(host?.owedMs ?? 0), 0),
      host === null ? null : Math.ceil(host.gapMs),
      host === null ? null : Math.round(host.fetchMs),
      host?.blockedMs ?? null,
      host?.health.backoffLevel ?? null,
      host?.health.goodAnswers ?? null,
      host?.health.failuresInARow ?? null,
      crawlId,
      url?.keyHash ?? null,
      json(url),
      json(record),
      json(outbox),
    ],
  });
  return rowCount === 1;
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
