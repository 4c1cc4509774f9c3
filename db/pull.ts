import { inTransaction, type Db, type Tx } from './pool.ts';
import { setReady, type QueueChange } from './ready.ts';
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
 * Assigns a biased batch: bands by lottery, of each its first hosts with room, of each its first due URLs. Live hosts
 * come first, then idle ones up to the cap of live hosts, in the order in which their turns have come; hosts that have
 * had their turn go on only while no other waits. One transaction. The cost is the batch's, not the frontier's (R6).
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
  const draws = lottery(await bandsWithWork(tx, shard, limits), PULL_HOSTS);
  const feeds = new Map<number, Feed>();
  const changes: QueueChange[] = [];
  let { pagesLeft, freeTurns } = limits;
  for (const [band, hosts] of draws) {
    const assigned = await assignBand(tx, shard, {
      band,
      hosts,
      freeTurns,
      othersWait: limits.othersWait,
      pagesLeft,
      budgeted: limits.pagesLeft !== null,
    });
    changes.push(...assigned.map(({ hostId, count }) => ({ hostId, band, urls: -count })));
    if (pagesLeft !== null) pagesLeft -= sum(assigned);
    freeTurns -= assigned.filter(({ hostId, idle }) => idle && !feeds.has(hostId)).length;
    for (const feed of assigned) add(feeds, feed);
  }
  const total = sum([...feeds.values()]);
  if (limits.pagesLeft !== null && total > 0) await reservePages(tx, shard, total);
  const hostIds = [...feeds.keys()];
  await setReady(tx, shard, hostIds, changes);
  await beginTurns(tx, shard, hostIds);
  return [...feeds.values()];
}

function sum(feeds: readonly Pick<Feed, 'count'>[]): number {
  return feeds.reduce((total, { count }) => total + count, 0);
}

function add(feeds: Map<number, Feed>, { hostId, hostKey, count }: Feed): void {
  const before = feeds.get(hostId);
  feeds.set(hostId, { hostId, hostKey, count: (before?.count ?? 0) + count });
}

// Indexes: crawl_pkey, host_crawl_session, ready_next (one entry a band). The crawl's row is locked only where a page
// budget has to be exact. Each shard has its part of the cap, so that none can take the places of another's hosts.
const LIMITS = `
  select c.state = 'running' as "running",
         case when c.settings ->> 'pageBudget' is not null
              then greatest((c.settings ->> 'pageBudget')::bigint - c.pages_settled - c.pages_reserved, 0)
          end as "pagesLeft",
         greatest(
           ceil((c.settings ->> 'liveHostCap')::numeric / coalesce((c.settings ->> 'shards')::int, 1))
             - (select count(*)
                  from host_crawl
                 where crawl_id = $1
                   and shard = $2
                   and session_from is not null), 0)::int as "freeTurns",
         exists (
           select
             from generate_series(1, 8) as b (band)
            where exists (
              select
                from ready r
               where r.crawl_id = $1
                 and r.shard = $2
                 and r.band = b.band
                 and r.standing = 'idle'
                 and r.turn_at <= statement_timestamp())) as "othersWait"
    from crawl c
   where c.crawl_id = $1`;

interface Limits {
  readonly running: boolean;
  readonly pagesLeft: number | null;
  /** How many idle hosts may become live. */
  readonly freeTurns: number;
  /** Whether an idle host's turn has come, if there is a place for it or not. */
  readonly othersWait: boolean;
}

const LOCK_BUDGET = `
  select crawl_id
    from crawl
   where crawl_id = $1
     and settings ->> 'pageBudget' is not null
     for no key update`;

async function readLimits(tx: Tx, { crawlId, shard }: Shard): Promise<Limits> {
  await tx.query({ name: 'lock_budget', text: LOCK_BUDGET, values: [crawlId] });
  const { rows } = await tx.query<Limits>({
    name: 'pull_limits',
    text: LIMITS,
    values: [crawlId, shard],
  });
  return rows[0] ?? { running: false, pagesLeft: 0, freeTurns: 0, othersWait: false };
}

// Index: ready_next, one entry a band and standing that may be pulled.
const BANDS_WITH_WORK = `
  select b.band
    from generate_series(1, 8) as b (band)
   where exists (
     select
       from unnest($3::text[]) as s (standing)
      where exists (
        select
          from ready r
         where r.crawl_id = $1
           and r.shard = $2
           and r.band = b.band
           and r.standing = s.standing
           and r.standing in ('idle', 'live', 'spent')
           and r.turn_at <= statement_timestamp()))
   order by b.band`;

async function bandsWithWork(
  tx: Tx,
  { crawlId, shard }: Shard,
  { freeTurns, othersWait }: Limits,
): Promise<readonly number[]> {
  const standings = ['live', ...(freeTurns > 0 ? ['idle'] : []), ...(othersWait ? [] : ['spent'])];
  const { rows } = await tx.query<{ band: number }>({
    name: 'bands_with_work',
    text: BANDS_WITH_WORK,
    values: [crawlId, shard, standings],
  });
  return rows.map(({ band }) => band);
}

const inTurn = (standing: string, limit: string): string => `
    select *
      from (select host_id, ${String(standing === 'idle')} as idle
              from ready
             where crawl_id = $1
               and shard = $2
               and band = $3
               and standing = '${standing}'
               and turn_at <= statement_timestamp()
             order by turn_at
             limit ${limit}) next
     limit ${PULL_HOSTS}`;

// Indexes: ready_next, url_assigned, url_queued, url_pkey. The limits that stand as numbers change nothing but what the
// planner expects: of a limit that is computed it expects a tenth of the table, and then reads every URL there is.
const ASSIGN_BAND = `
  with live as materialized (${inTurn('live', '$4')}
  ), idle as materialized (${inTurn('idle', 'least($5::int, $4::int - (select count(*) from live)::int)')}
  ), spent as materialized (${inTurn('spent', 'case when $6 then 0 else $4::int - (select count(*) from live)::int end')}
  ), host_room as materialized (
    select p.host_id, p.idle,
           (c.settings ->> 'room')::int - (
             select count(*)
               from url a
              where a.host_id = p.host_id
                and a.crawl_id = $1
                and a.state = 'assigned'
                and a.due_at <= statement_timestamp()) as free
      from (select * from live union all select * from idle union all select * from spent) p
     cross join (select settings from crawl where crawl_id = $1) c
  ), first as (
    select u.host_id, u.key_hash
      from host_room r
     cross join lateral (
       select q.host_id, q.key_hash
         from url q
        where q.host_id = r.host_id
          and q.crawl_id = $1
          and q.band = $3
          and q.state = 'queued'
          and q.due_at <= statement_timestamp()
        order by q.due_at
        limit least(greatest(r.free, 0), $7)
     ) u
     limit $8
  ), batch as materialized (
    select *
      from first
     limit ${PULL_HOSTS * PULL_URLS_A_HOST}
  ), assigned as (
    update url
       set state = 'assigned',
           reserved = $9
      from batch
     where url.host_id = batch.host_id
       and url.crawl_id = $1
       and url.key_hash = batch.key_hash
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
  readonly freeTurns: number;
  readonly othersWait: boolean;
  readonly pagesLeft: number | null;
  readonly budgeted: boolean;
}

async function assignBand(
  tx: Tx,
  { crawlId, shard }: Shard,
  order: BandOrder,
): Promise<readonly (Feed & { readonly idle: boolean })[]> {
  const values = [
    crawlId,
    shard,
    order.band,
    order.hosts,
    order.freeTurns,
    order.othersWait,
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

// Index: host_crawl_pkey.
const BEGIN_TURNS = `
  update host_crawl
     set session_from = pages
   where crawl_id = $1
     and host_id = any ($2::bigint[])
     and session_from is null`;

/** After the front queues are set: they take a host whose turn has begun and that is not live for one whose turn is over. */
async function beginTurns(tx: Tx, { crawlId }: Shard, hostIds: readonly number[]): Promise<void> {
  if (hostIds.length === 0) return;
  await tx.query({ name: 'begin_turns', text: BEGIN_TURNS, values: [crawlId, [...hostIds]] });
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
