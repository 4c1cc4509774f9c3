import { countQueued } from './admit.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';
import { setReady } from './ready.ts';
import { lockShard, type Shard } from './shards.ts';

/** Hosts that one pull feeds at most, and URLs of one band that it gives a host; our choice, as measured. */
export const PULL_HOSTS = 100;
export const PULL_URLS_A_HOST = 10;

/** A host whose back queue has been given URLs. */
export interface Feed {
  readonly hostId: number;
  readonly hostKey: string;
  readonly count: number;
}

export type Pulled =
  | { readonly kind: 'pulled'; readonly feeds: readonly Feed[] }
  | { readonly kind: 'stale'; readonly latestBatchId: number };

/** Draws how many of a batch's hosts each band gives, among the bands that have work. */
export type Lottery = (bands: readonly number[], draws: number) => ReadonlyMap<number, number>;

/**
 * Assigns a biased batch: bands by lottery, of each its first hosts with room (live ones first, idle ones up to the
 * cap of live hosts), of each its first due URLs. One transaction. The cost is the batch's, not the frontier's (R6).
 *
 * A repeated batch id gives what it assigned before; an older one is refused as stale.
 */
export async function pullBatch(
  db: Db,
  shard: Shard,
  batchId: number,
  lottery: Lottery,
): Promise<Pulled> {
  return inTransaction(db, async (tx) => {
    const row = await lockShard(tx, shard);
    if (row.batchId === batchId) return { kind: 'pulled', feeds: row.batchFeeds };
    if (row.batchId > batchId) return { kind: 'stale', latestBatchId: row.batchId };
    const feeds = await assign(tx, shard, lottery);
    await remember(tx, shard, batchId, feeds);
    return { kind: 'pulled', feeds };
  });
}

async function assign(tx: Tx, shard: Shard, lottery: Lottery): Promise<readonly Feed[]> {
  const limits = await readLimits(tx, shard);
  if (!limits.running || limits.pagesLeft === 0) return [];
  const draws = lottery(await bandsWithWork(tx, shard), PULL_HOSTS);
  const feeds = new Map<number, Feed>();
  const byBand = new Map<number, number>();
  let { pagesLeft, idleHosts } = limits;
  for (const [band, hosts] of draws) {
    const assigned = await assignBand(tx, shard, {
      band,
      hosts,
      idleHosts,
      pagesLeft,
      budgeted: limits.pagesLeft !== null,
    });
    const count = assigned.reduce((sum, feed) => sum + feed.count, 0);
    byBand.set(band, -count);
    if (pagesLeft !== null) pagesLeft -= count;
    idleHosts -= assigned.filter(({ hostId, idle }) => idle && !feeds.has(hostId)).length;
    for (const feed of assigned) add(feeds, feed);
  }
  const total = -[...byBand.values()].reduce((sum, count) => sum + count, 0);
  if (limits.pagesLeft !== null && total > 0) await reservePages(tx, shard, total);
  await countQueued(tx, shard, byBand);
  await setReady(tx, shard, [...feeds.keys()]);
  return [...feeds.values()];
}

function add(feeds: Map<number, Feed>, { hostId, hostKey, count }: Feed): void {
  const before = feeds.get(hostId);
  feeds.set(hostId, { hostId, hostKey, count: (before?.count ?? 0) + count });
}

// Indexes: crawl_pkey, host_active. The crawl's row is locked only where a page budget has to be exact.
const LIMITS = `
  select c.state = 'running' as "running",
         case when c.settings ->> 'pageBudget' is not null
              then greatest((c.settings ->> 'pageBudget')::bigint - c.pages_settled - c.pages_reserved, 0)
          end as "pagesLeft",
         greatest((c.settings ->> 'liveHostCap')::int - (select count(*) from host where state = 'live'), 0)
           as "idleHosts"
    from crawl c
   where c.crawl_id = $1`;

interface Limits {
  readonly running: boolean;
  readonly pagesLeft: number | null;
  readonly idleHosts: number;
}

const LOCK_BUDGET = `
  select crawl_id
    from crawl
   where crawl_id = $1
     and settings ->> 'pageBudget' is not null
     for no key update`;

async function readLimits(tx: Tx, { crawlId }: Shard): Promise<Limits> {
  await tx.query({ name: 'lock_budget', text: LOCK_BUDGET, values: [crawlId] });
  const { rows } = await tx.query<Limits>({ name: 'pull_limits', text: LIMITS, values: [crawlId] });
  return rows[0] ?? { running: false, pagesLeft: 0, idleHosts: 0 };
}

// Index: ready_next, one entry a band and standing.
const BANDS_WITH_WORK = `
  select b.band
    from generate_series(1, 8) as b (band)
   where exists (
     select from ready
      where crawl_id = $1
        and band = b.band
        and standing = 'live'
        and due_at <= clock_timestamp())
      or exists (
     select from ready
      where crawl_id = $1
        and band = b.band
        and standing = 'idle'
        and due_at <= clock_timestamp())
   order by b.band`;

async function bandsWithWork(tx: Tx, { crawlId }: Shard): Promise<readonly number[]> {
  const { rows } = await tx.query<{ band: number }>({
    name: 'bands_with_work',
    text: BANDS_WITH_WORK,
    values: [crawlId],
  });
  return rows.map(({ band }) => band);
}

// Indexes: ready_next, url_assigned, url_queued, url_pkey.
const ASSIGN_BAND = `
  with live as materialized (
    select host_id, false as idle
      from ready
     where crawl_id = $1
       and band = $2
       and standing = 'live'
       and due_at <= clock_timestamp()
     order by due_at
     limit $3
  ), idle as materialized (
    select host_id, true as idle
      from ready
     where crawl_id = $1
       and band = $2
       and standing = 'idle'
       and due_at <= clock_timestamp()
     order by due_at
     limit least($4::int, $3::int - (select count(*) from live)::int)
  ), host_room as materialized (
    select p.host_id, p.idle,
           (c.settings ->> 'room')::int - (
             select count(*)
               from url a
              where a.host_id = p.host_id
                and a.crawl_id = $1
                and a.state = 'assigned'
                and a.due_at <= clock_timestamp()) as free
      from (select * from live union all select * from idle) p
     cross join (select settings from crawl where crawl_id = $1) c
  ), first as materialized (
    select u.host_id, u.key_hash
      from host_room r
     cross join lateral (
       select q.host_id, q.key_hash
         from url q
        where q.host_id = r.host_id
          and q.crawl_id = $1
          and q.band = $2
          and q.state = 'queued'
          and q.due_at <= clock_timestamp()
        order by q.due_at
        limit least(greatest(r.free, 0), $5)
     ) u
     limit $6
  ), assigned as (
    update url
       set state = 'assigned',
           reserved = $7
      from first
     where url.host_id = first.host_id
       and url.crawl_id = $1
       and url.key_hash = first.key_hash
    returning url.host_id
  )
  select h.host_id as "hostId", h.host_key as "hostKey", r.idle, count(*)::int as "count"
    from assigned a
    join host_room r on r.host_id = a.host_id
    join host h on h.host_id = a.host_id
   group by h.host_id, h.host_key, r.idle`;

interface BandOrder {
  readonly band: number;
  readonly hosts: number;
  readonly idleHosts: number;
  readonly pagesLeft: number | null;
  readonly budgeted: boolean;
}

async function assignBand(
  tx: Tx,
  { crawlId }: Shard,
  order: BandOrder,
): Promise<readonly (Feed & { readonly idle: boolean })[]> {
  const values = [
    crawlId,
    order.band,
    order.hosts,
    order.idleHosts,
    PULL_URLS_A_HOST,
    order.pagesLeft,
    order.budgeted,
  ];
  const { rows } = await tx.query<Feed & { idle: boolean }>({
    name: 'assign_band',
    text: ASSIGN_BAND,
    values,
  });
  return rows;
}

// Index: crawl_pkey, locked by readLimits.
const RESERVE = `
  update crawl
     set pages_reserved = pages_reserved + $2
   where crawl_id = $1`;

async function reservePages(tx: Tx, { crawlId }: Shard, pages: number): Promise<void> {
  await tx.query({ name: 'reserve_pages', text: RESERVE, values: [crawlId, pages] });
}

// Index: shard_pkey.
const REMEMBER = `
  update shard
     set batch_id = $3,
         batch_feeds = $4
   where crawl_id = $1
     and shard = $2`;

async function remember(
  tx: Tx,
  { crawlId, shard }: Shard,
  batchId: number,
  feeds: readonly Feed[],
): Promise<void> {
  await tx.query({
    name: 'remember_batch',
    text: REMEMBER,
    values: [crawlId, shard, batchId, JSON.stringify(feeds)],
  });
}
