import type { RequestUrl } from '../domain/request-url.ts';
import type { Tx } from './pool.ts';
import type { Shard } from './shards.ts';

/** A queued URL, as a chore looks at it. */
export interface QueuedUrl {
  readonly hostId: number;
  readonly keyHash: string;
  readonly url: RequestUrl;
  readonly band: number;
  readonly depth: number;
  readonly hops: number;
  /** Of the page that it was first found on. */
  readonly sourceId: number | null;
  readonly sitemapPriority: number | null;
  /** As Postgres writes it: a `Date` would lose the microseconds by which URLs are told apart. */
  readonly dueAt: string;
}

/** How far a walk through the queued URLs has come: all before, and this URL itself, have been looked at. */
export interface QueuePosition {
  readonly hostId: number;
  readonly band: number;
  readonly dueAt: string;
  /** `null`: nothing of the host has been looked at. */
  readonly keyHash: string | null;
}

/** URLs looked at in one transaction, and front queues for them; our choice: some 50 ms. */
export const CHORE_URLS = 2_000;
const CHORE_QUEUES = 500;

// Indexes: ready_pkey, url_queued. The front queues know how much they hold, so no more hosts are opened than one batch
// takes, and what a host has behind the position isn't read again.
const BATCH = `
  with queues as materialized (
    select host_id, urls
      from ready
     where crawl_id = $1
       and shard = $2
       and host_id >= $3
     order by host_id
     limit ${CHORE_QUEUES}
  ), hosts as materialized (
    select host_id
      from (select host_id, sum(urls) over (order by host_id) as until_here, urls from queues) q
     group by host_id
    having max(until_here) - sum(urls) < ${CHORE_URLS}
  ), batch as (
    select u.*
      from hosts h
     cross join lateral (
       select q.host_id, q.key_hash, q.request_url, q.band, q.depth, q.hops, q.source_id, q.sitemap_priority, q.due_at
         from url q
        where q.host_id = h.host_id
          and q.crawl_id = $1
          and q.state = 'queued'
          and (q.band, q.due_at) >= (case when h.host_id = $3 then $4::smallint else 0::smallint end,
                                     case when h.host_id = $3 then $5::timestamptz else '-infinity' end)
          and (h.host_id > $3 or $6::uuid is null or (q.band, q.due_at, q.key_hash) > ($4, $5, $6::uuid))
        order by q.band, q.due_at, q.key_hash
        limit ${CHORE_URLS}
     ) u
  )
  select (select max(host_id) from hosts) as "lastHostId",
         coalesce((
           select jsonb_agg(jsonb_build_object(
                    'hostId', b.host_id, 'keyHash', b.key_hash, 'url', b.request_url, 'band', b.band,
                    'depth', b.depth, 'hops', b.hops, 'sourceId', b.source_id, 'sitemapPriority', b.sitemap_priority,
                    'dueAt', b.due_at::text)
                    order by b.host_id, b.band, b.due_at, b.key_hash)
             from (select * from batch order by host_id, band, due_at, key_hash limit ${CHORE_URLS}) b), '[]') as "urls"`;

/** The next queued URLs of a walk, and where it stands behind them; `null` where it has come to its end. */
export interface QueuedBatch {
  readonly urls: readonly QueuedUrl[];
  readonly next: QueuePosition | null;
}

/**
 * The queued URLs of a shard behind a position, host by host, of each host by band and by when they are due. The cost is
 * the batch's. Holds the shard's lock.
 */
export async function queuedBatch(
  tx: Tx,
  { crawlId, shard }: Shard,
  { hostId, band, dueAt, keyHash }: QueuePosition,
): Promise<QueuedBatch> {
  const { rows } = await tx.query<{ lastHostId: number | null; urls: readonly QueuedUrl[] }>({
    name: 'queued_batch',
    text: BATCH,
    values: [crawlId, shard, hostId, band, dueAt, keyHash],
  });
  const { lastHostId = null, urls = [] } = rows[0] ?? {};
  const last = urls.at(-1);
  if (last !== undefined && urls.length === CHORE_URLS) return { urls, next: last };
  return { urls, next: lastHostId === null ? null : startOf(lastHostId + 1) };
}

function startOf(hostId: number): QueuePosition {
  return { hostId, band: 0, dueAt: '-infinity', keyHash: null };
}
