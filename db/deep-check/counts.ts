import { IS_PAGE, WHOLE_CRAWL, type DeepStatement } from './check.ts';

// Two scans, of url and of fetch_record. What the one writer keeps is compared after adding what still waits for it in
// the outbox, since settle commits a URL's state, its record and its outbox row together. Outcomes that may leave no
// record (by rule, without a request) are compared with the URLs' states.
const COUNTS = `
  with urls as materialized (
    select crawl_id, state, band,
           count(*) as urls,
           count(*) filter (where reserved) as reserved,
           count(*) filter (where state <> 'assigned' and (reserved or claims > 0)) as unserved,
           count(*) filter (where state in ('dead', 'excluded') and reason is null) as unexplained
      from url
     where ${WHOLE_CRAWL}
     group by crawl_id, state, band
  ), records as materialized (
    select crawl_id, outcome,
           count(*) as fetches,
           sum(body_bytes) as bytes,
           count(*) filter (where ${IS_PAGE}) as pages
      from fetch_record
     where key_hash is not null
       and ${WHOLE_CRAWL}
     group by crawl_id, outcome
  ), pending as materialized (
    select crawl_id, outcome, count(*) as fetches, sum(bytes) as bytes, sum(settled) as settled, sum(released) as released
      from outbox
     where ${WHOLE_CRAWL}
     group by crawl_id, outcome
  ), kinds as (
    select crawl_id, outcome from outcome_count where ${WHOLE_CRAWL}
     union
    select crawl_id, outcome from pending where outcome is not null
     union
    select crawl_id, outcome from records
     union
    select crawl_id, state::text from urls where state in ('dead', 'excluded')
  ), outcomes as (
    select k.crawl_id, k.outcome,
           coalesce(o.fetches, 0) + coalesce(p.fetches, 0) as kept,
           coalesce(o.bytes, 0) + coalesce(p.bytes, 0) as kept_bytes,
           case
             when k.outcome in ('dead', 'excluded') then (
               select coalesce(sum(u.urls), 0) from urls u where u.crawl_id = k.crawl_id and u.state::text = k.outcome)
             else coalesce(r.fetches, 0)
           end as fetches,
           coalesce(r.bytes, 0) as bytes
      from kinds k
      left join outcome_count o using (crawl_id, outcome)
      left join pending p using (crawl_id, outcome)
      left join records r using (crawl_id, outcome)
  ), crawls as materialized (
    select c.*,
           coalesce((select sum(settled) from pending p where p.crawl_id = c.crawl_id), 0) as settling,
           coalesce((select sum(released) from pending p where p.crawl_id = c.crawl_id), 0) as releasing
      from crawl c
     where c.removing_since is null
  ), comparison (name, crawl_id, what, expected, found, compared) as (
    select 'URLs known', c.crawl_id, 'URLs known', n.urls,
           (select coalesce(sum(known), 0) from shard s where s.crawl_id = c.crawl_id), n.urls
      from crawls c
     cross join lateral (select coalesce(sum(urls), 0) as urls from urls u where u.crawl_id = c.crawl_id) n
     union all
    select 'URLs queued', c.crawl_id, 'URLs queued in band ' || b.band, n.urls,
           (select coalesce(sum(q.urls), 0) from queued_count q where q.crawl_id = c.crawl_id and q.band = b.band), n.urls
      from crawls c
     cross join generate_series(1, 8) as b (band)
     cross join lateral (
       select coalesce(sum(urls), 0) as urls
         from urls u
        where u.crawl_id = c.crawl_id and u.state = 'queued' and u.band = b.band
     ) n
     union all
    select 'outcomes', crawl_id, format('"%s" counted', outcome), fetches, kept, fetches
      from outcomes
     union all
    select 'outcomes', crawl_id, format('bytes of "%s"', outcome), bytes, kept_bytes, 0
      from outcomes
     union all
    select 'pages', c.crawl_id, 'pages settled', n.pages, c.pages_settled + c.settling, n.pages
      from crawls c
     cross join lateral (select coalesce(sum(pages), 0) as pages from records r where r.crawl_id = c.crawl_id) n
     union all
    select 'pages', c.crawl_id, 'pages of its hosts', c.pages_settled + c.settling,
           (select coalesce(sum(pages), 0) from host_crawl h where h.crawl_id = c.crawl_id), 0
      from crawls c
     union all
    select 'pages reserved', c.crawl_id, 'pages reserved', n.reserved + c.releasing, c.pages_reserved, n.reserved
      from crawls c
     cross join lateral (select coalesce(sum(reserved), 0) as reserved from urls u where u.crawl_id = c.crawl_id) n
     union all
    select 'URL states', crawl_id, 'reserved or claimed, though not assigned', 0, sum(unserved), sum(urls)
      from urls
     group by crawl_id
     union all
    select 'URL states', crawl_id, 'dead or excluded without a reason', 0, sum(unexplained), 0
      from urls
     group by crawl_id
     union all
    select 'URL states', crawl_id, 'queued or assigned, though the crawl is finished', 0, sum(urls), 0
      from urls
      join crawl using (crawl_id)
     where urls.state in ('queued', 'assigned')
       and end_reason = 'finished'
       and crawl.state = 'finished'
     group by crawl_id
  )
  select o.name,
         sum(o.compared)::bigint as "compared",
         count(*) filter (where o.expected <> o.found)::int as "wrong",
         coalesce(
           jsonb_agg(
             jsonb_build_object(
               'what', format('crawl "%s": %s', coalesce(c.name, o.crawl_id::text), o.what),
               'expected', o.expected::text,
               'found', o.found::text)
             order by c.name, o.what)
           filter (where o.expected <> o.found), '[]') as "examples"
    from comparison o
    left join crawl c using (crawl_id)
   group by o.name
   order by o.name`;

/** Every count that the one writer keeps, against the rows that it counts. */
export const counts: DeepStatement = { looksAt: 'counts', text: COUNTS };
