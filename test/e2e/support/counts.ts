import type { Db } from '../../../db/pool.ts';

/** Two numbers that must be the same, by how they are counted. */
interface Comparison {
  readonly what: string;
  readonly counted: number;
  readonly found: number;
}

// Whatever is counted as it happens, next to the same counted from the rows. Outcomes that leave no fetch record (by
// rule, without a request) are compared with the URLs' states instead.
const COMPARE = `
  with crawls as (
    select * from crawl where name = $1
  ), urls as (
    select u.* from url u join crawls using (crawl_id)
  ), records as (
    select f.* from fetch_record f join crawls using (crawl_id) where f.key_hash is not null
  ), outcomes as (
    select o.* from outcome_count o join crawls using (crawl_id)
  )
  select 'URLs known' as what,
         (select coalesce(sum(known), 0) from shard join crawls using (crawl_id))::int as counted,
         (select count(*) from urls)::int as found
   union all
  select 'URLs queued in band ' || band,
         coalesce((select sum(q.urls) from queued_count q join crawls using (crawl_id) where q.band = b.band), 0)::int,
         (select count(*) from urls where urls.state = 'queued' and urls.band = b.band)::int
    from generate_series(1, 8) as b (band)
   union all
  select 'outcome ' || kind,
         coalesce((select fetches from outcomes where outcome = kind), 0)::int,
         (select count(*) from records where records.outcome = kind)::int
    from unnest(array['fetched', 'redirected', 'failed', 'put off']) as kind
   union all
  select 'URLs ' || kind,
         coalesce((select fetches from outcomes where outcome = kind), 0)::int,
         (select count(*) from urls where state = kind::url_state)::int
    from unnest(array['dead', 'excluded']) as kind
   union all
  select 'URLs done',
         (select count(*) from urls where state = 'done')::int,
         (select count(distinct (host_id, key_hash)) from records
           where outcome = 'fetched' or outcome = 'redirected' and (host_id, key_hash) in (select host_id, key_hash from urls where state = 'done'))::int
   union all
  select 'pages settled',
         (select pages_settled from crawls)::int,
         (select count(*) from records where outcome = 'fetched' or outcome = 'dead' and status >= 500)::int
   union all
  select 'pages of hosts',
         (select coalesce(sum(pages), 0) from host_crawl join crawls using (crawl_id))::int,
         (select pages_settled from crawls)::int
   union all
  select 'pages reserved',
         (select pages_reserved from crawls)::int,
         (select count(*) from urls where reserved)::int
   union all
  select 'reservations left', 0, (select pages_reserved from crawls)::int
   union all
  select 'outbox rows that say something', 0,
         (select count(*) from outbox join crawls using (crawl_id) where outcome is not null or links <> '[]')::int`;

/** Where the counts of a crawl that has ended differ from what its rows say; empty where they add up. */
export async function countFaults(db: Db, crawl = 'default'): Promise<readonly string[]> {
  const { rows } = await db.query<Comparison>(COMPARE, [crawl]);
  return rows
    .filter(({ counted, found }) => counted !== found)
    .map(({ what, counted, found }) => `${what}: ${counted} counted, ${found} found`);
}

const UNSETTLED = `
  select u.request_url || ' is ' || u.state || ' (' || coalesce(u.reason, 'no reason') || ')' as line
    from url u
    join crawl c using (crawl_id)
   where c.name = $1
     and (u.state in ('queued', 'assigned') or u.state in ('dead', 'excluded') and u.reason is null)
   order by 1`;

/** The URLs of a crawl that have come to no end, or to one without a reason; empty after a finished crawl. */
export async function unsettled(db: Db, crawl = 'default'): Promise<readonly string[]> {
  const { rows } = await db.query<{ line: string }>(UNSETTLED, [crawl]);
  return rows.map(({ line }) => line);
}
