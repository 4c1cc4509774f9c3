import { EXAMPLES, IS_PAGE, WHOLE_CRAWL, type DeepStatement } from './check.ts';

// One scan of url, one lookup a host and crawl: no foreign key holds these.
const HOSTS_OF_URLS = `
  with parts as materialized (
    select host_id, crawl_id, count(*) as urls
      from url
     where ${WHOLE_CRAWL}
     group by host_id, crawl_id
  ), wrong as materialized (
    select p.host_id, p.crawl_id, p.urls, h.host_key, c.name,
           case
             when c.crawl_id is null then 'no such crawl'
             when h.host_id is null then 'no such host'
             else 'the host has no part in the crawl'
           end as found
      from parts p
      left join host h using (host_id)
      left join crawl c using (crawl_id)
      left join host_crawl hc on hc.host_id = p.host_id and hc.crawl_id = p.crawl_id
     where c.crawl_id is null
        or h.host_id is null
        or hc.host_id is null
  )
  select 'hosts of URLs' as "name",
         (select coalesce(sum(urls), 0) from parts)::bigint as "compared",
         (select count(*) from wrong)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select format('%s URLs of host %s in crawl %s', urls, coalesce(host_key, host_id::text),
                             coalesce('"' || name || '"', crawl_id::text)) as what,
                      'a host, a crawl, and the host''s part in it' as expected,
                      found
                 from wrong
                order by crawl_id, host_id
                limit ${EXAMPLES}
             ) e), '[]') as "examples"`;

/** Each URL's host and crawl are there, and the host has its part in the crawl. */
export const hostsOfUrls: DeepStatement = { looksAt: 'hosts of URLs', text: HOSTS_OF_URLS };

// One scan of fetch_record.
const PAGES_OF_HOSTS = `
  with pages as materialized (
    select crawl_id, host_id, count(*) as pages
      from fetch_record
     where key_hash is not null
       and ${IS_PAGE}
       and ${WHOLE_CRAWL}
     group by crawl_id, host_id
  ), wrong as materialized (
    select crawl_id, host_id, coalesce(p.pages, 0) as expected, hc.pages as found
      from pages p
      full join (select * from host_crawl where ${WHOLE_CRAWL}) hc using (crawl_id, host_id)
     where coalesce(p.pages, 0) is distinct from hc.pages
  )
  select 'pages of hosts' as "name",
         (select coalesce(sum(pages), 0) + (select count(*) from host_crawl) from pages)::bigint as "compared",
         (select count(*) from wrong)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select format('crawl "%s", host %s', c.name, coalesce(h.host_key, w.host_id::text)) as what,
                      w.expected || ' pages' as expected,
                      coalesce(w.found || ' pages', 'no part in the crawl') as found
                 from wrong w
                 left join crawl c using (crawl_id)
                 left join host h using (host_id)
                order by w.crawl_id, w.host_id
                limit ${EXAMPLES}
             ) e), '[]') as "examples"`;

/** A host's part in a crawl counts the pages that were fetched from it. */
export const pagesOfHosts: DeepStatement = { looksAt: 'pages of hosts', text: PAGES_OF_HOSTS };

// One scan of fetch_record and one of url, joined both ways.
const RECORDS = `
  with orphans as (
    select r.request_url, 'a URL' as expected, 'a fetch record without one' as found
      from fetch_record r
     where r.key_hash is not null
       and ${WHOLE_CRAWL}
       and not exists (
         select
           from url u
          where u.host_id = r.host_id
            and u.crawl_id = r.crawl_id
            and u.key_hash = r.key_hash)
  ), unfetched as (
    select u.request_url, 'a fetch record' as expected, 'done without one' as found
      from url u
     where u.state = 'done'
       and ${WHOLE_CRAWL}
       and not exists (
         select
           from fetch_record r
          where r.host_id = u.host_id
            and r.crawl_id = u.crawl_id
            and r.key_hash = u.key_hash)
  ), wrong as materialized (
    select * from orphans
     union all
    select * from unfetched
  )
  select 'fetch records' as "name",
         ((select count(*) from fetch_record where key_hash is not null)
          + (select count(*) from url where state = 'done'))::bigint as "compared",
         (select count(*) from wrong)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select request_url as what, expected, found
                 from wrong
                order by request_url
                limit ${EXAMPLES}
             ) e), '[]') as "examples"`;

/** Each fetch record of a page belongs to a URL, and each URL that is done has one. */
export const recordsOfUrls: DeepStatement = { looksAt: 'fetch records', text: RECORDS };
