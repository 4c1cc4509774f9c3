import type { EndReason } from '../domain/crawl-state.ts';
import { inTransaction, type Db } from './pool.ts';
import { setReady } from './ready.ts';
import { lockShard, type Shard } from './shards.ts';

// Indexes: crawl_pkey, outbox_next, ready_pkey, url_assigned, host_pkey, host_crawl_pkey, robots_host_id_origin_key. One snapshot:
// settle commits a URL's state and its outbox row together, so nothing falls between.
const OUTLOOK = `
  select c.state = 'running' as "running",
         (c.settings ->> 'pageBudget')::bigint <= c.pages_settled as "pagesSpent",
         coalesce((c.settings ->> 'waitForRetries')::boolean, true) as "waitForRetries",
         exists (select from outbox where crawl_id = $1) as "outbox",
         exists (select from ready where crawl_id = $1) as "ready",
         exists (select from ready where crawl_id = $1 and standing in ('idle', 'live', 'spent') and turn_at <= clock_timestamp())
           as "pullable",
         exists (select from url where crawl_id = $1 and state = 'assigned') as "assigned",
         exists (
           select
             from url u
             join host h on h.host_id = u.host_id
             join host_crawl hc on hc.host_id = u.host_id and hc.crawl_id = u.crawl_id
             left join robots r on r.host_id = u.host_id
                               and r.origin = substring(u.request_url from '^https?://[^/?#]+')
            where u.crawl_id = $1
              and u.state = 'assigned'
              and u.due_at <= clock_timestamp()
              and (h.hold_since is null or h.hold_until <= clock_timestamp())
              and (h.blocked_until is null or h.blocked_until <= clock_timestamp())
              and (hc.blocked_until is null or hc.blocked_until <= clock_timestamp())
              and (r.access is distinct from 'unreachable'
                   or r.retry_at <= clock_timestamp()
                   or r.unreachable_since + (c.settings ->> 'robotsOpenAfterMs')::bigint * interval '1 millisecond'
                      <= clock_timestamp())
         ) as "servable"
    from crawl c
   where c.crawl_id = $1`;

interface OutlookRow {
  readonly running: boolean;
  readonly pagesSpent: boolean | null;
  readonly waitForRetries: boolean;
  readonly outbox: boolean;
  readonly ready: boolean;
  readonly pullable: boolean;
  readonly assigned: boolean;
  readonly servable: boolean;
}

/** Whether a crawl has ended and why, and whether the next round must come soon. */
export interface Outlook {
  readonly end: EndReason | null;
  readonly busy: boolean;
}

/**
 * A one-shot crawl ends when no URL is queued or assigned and no links wait to be admitted; when its pages are spent;
 * or, where it does not wait for retries, when only retries, robots waits, blocks and holds are left (R40, R43).
 */
export async function outlookOf(db: Db, crawlId: number): Promise<Outlook> {
  const { rows } = await db.query<OutlookRow>({
    name: 'outlook',
    text: OUTLOOK,
    values: [crawlId],
  });
  const row = rows[0];
  if (row === undefined) return { end: 'stopped', busy: false };
  return { end: endOf(row), busy: row.outbox || row.assigned || row.pullable };
}

function endOf(row: OutlookRow): EndReason | null {
  if (!row.running) return 'stopped';
  if (row.outbox) return null;
  if (row.pagesSpent === true) return 'pages spent';
  if (!row.ready && !row.assigned) return 'finished';
  if (!row.waitForRetries && !row.pullable && !row.servable) return 'only retries left';
  return null;
}

// Indexes: url_assigned, host_pkey.
const IN_FLIGHT = `
  select count(*)::int as "requests"
    from host h
   where h.lease_until > clock_timestamp()
     and h.lease_crawl_id = $1
     and h.host_id in (
       select u.host_id
         from url u
        where u.crawl_id = $1
          and u.state = 'assigned')`;

/** Requests of a crawl that are being sent right now. */
export async function requestsInFlight(db: Db, crawlId: number): Promise<number> {
  const { rows } = await db.query<{ requests: number }>({
    name: 'in_flight',
    text: IN_FLIGHT,
    values: [crawlId],
  });
  return rows[0]?.requests ?? 0;
}

/** URLs given back in one transaction; our choice. */
const REQUEUE_ROWS = 1_000;

// Indexes: url_assigned, url_pkey, host_crawl_pkey. In key order, as every batch that locks URLs.
const REQUEUE = `
  with back as (
    select u.host_id, u.key_hash, u.reserved
      from url u
      join host_crawl hc on hc.host_id = u.host_id and hc.crawl_id = u.crawl_id and hc.shard = $2
     where u.crawl_id = $1
       and u.state = 'assigned'
     order by u.host_id, u.key_hash
     limit $3
       for no key update of u
  )
  update url
     set state = 'queued',
         reserved = false,
         claims = 0
    from back
   where url.host_id = back.host_id
     and url.crawl_id = $1
     and url.key_hash = back.key_hash
  returning url.host_id as "hostId", url.band, back.reserved`;

// Index: crawl_pkey. Pages of requests that have just ended are given back by their outbox rows, not here.
const UNRESERVE = `
  update crawl
     set pages_reserved = greatest(pages_reserved - $2, 0)
   where crawl_id = $1`;

/** Gives every assigned URL of a shard back to its front queue, in batches: a spent budget leaves them for later. */
export async function requeueAssigned(db: Db, shard: Shard): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await requeueBatch(db, shard);
    total += count;
    if (count < REQUEUE_ROWS) return total;
  }
}

interface RequeuedRow {
  readonly hostId: number;
  readonly band: number;
  readonly reserved: boolean;
}

async function requeueBatch(db: Db, shard: Shard): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockShard(tx, shard);
    const values = [shard.crawlId, shard.shard, REQUEUE_ROWS];
    const { rows } = await tx.query<RequeuedRow>({ name: 'requeue', text: REQUEUE, values });
    const changes = rows.map(({ hostId, band }) => ({ hostId, band, urls: 1 }));
    await setReady(tx, shard, [], changes);
    const pages = rows.filter(({ reserved }) => reserved).length;
    if (pages > 0) {
      await tx.query({ name: 'unreserve', text: UNRESERVE, values: [shard.crawlId, pages] });
    }
    return rows.length;
  });
}
