import { EXAMPLES, WHOLE_CRAWL, type DeepStatement } from './check.ts';

// Index: url_queued, read from end to end. Written with the queued rows in one transaction, so exact at any instant.
const READY = `
  with fresh as materialized (
    select crawl_id, band, host_id, min(due_at) as due_at, count(*) as urls
      from url
     where state = 'queued'
       and ${WHOLE_CRAWL}
     group by crawl_id, band, host_id
  ), wrong as materialized (
    select crawl_id, band, host_id,
           f.urls || ' queued, due ' || f.due_at as expected,
           r.urls || ' queued, due ' || r.due_at as found
      from fresh f
      full join (select * from ready where ${WHOLE_CRAWL}) r using (crawl_id, band, host_id)
     where f.due_at is distinct from r.due_at
        or f.urls is distinct from r.urls
  )
  select 'front queues' as "name",
         (select coalesce(sum(urls), 0) + (select count(*) from ready) from fresh)::bigint as "compared",
         (select count(*) from wrong)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select format('crawl "%s", band %s, host %s', c.name, w.band, coalesce(h.host_key, w.host_id::text)) as what,
                      coalesce(w.expected, 'no row, as nothing is queued') as expected,
                      coalesce(w.found, 'no row') as found
                 from wrong w
                 left join crawl c using (crawl_id)
                 left join host h using (host_id)
                order by w.crawl_id, w.band, w.host_id
                limit ${EXAMPLES}
             ) e), '[]') as "examples"`;

/** Each host with queued URLs stands in the front queues once a band, with their number and the first one's time. */
export const frontQueues: DeepStatement = { looksAt: 'front queues', text: READY };

// Indexes: ready_pkey, host_pkey, outbox_next, url_assigned (hosts that are full). A standing follows its host one
// round later: an outbox row that names the host says that the one writer will look. Told of nothing it must be true,
// but for two that may lag by design: a host that has become live, and a block that another crawl has met.
const STANDINGS = `
  with told as materialized (
    select distinct crawl_id, host_id
      from outbox
     where host_id is not null
  ), looked as materialized (
    select r.crawl_id, r.band, r.host_id, h.host_key, r.standing,
           case
             when h.hold_since is not null and (h.hold_until is null or h.hold_until > clock_timestamp()) then 'blocked'
             when r.standing = 'blocked' and coalesce(r.until_at, 'infinity') = 'infinity' and h.hold_since is null
               then case when h.state = 'live' then 'live' else 'idle' end
             when r.standing in ('live', 'spent') and h.state <> 'live' then 'idle'
             when r.standing = 'full' and not exists (
               select
                 from url a
                where a.host_id = r.host_id
                  and a.crawl_id = r.crawl_id
                  and a.state = 'assigned'
                  and a.due_at <= clock_timestamp()) then 'idle'
             else r.standing
           end as expected
      from ready r
      join host h using (host_id)
     where not exists (select from told t where t.crawl_id = r.crawl_id and t.host_id = r.host_id)
       and ${WHOLE_CRAWL}
  ), wrong as materialized (
    select * from looked where standing <> expected
  )
  select 'standings' as "name",
         (select count(*) from looked)::bigint as "compared",
         (select count(*) from wrong)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select format('crawl "%s", band %s, host %s', c.name, w.band, w.host_key) as what, w.expected,
                      w.standing as found
                 from wrong w
                 left join crawl c using (crawl_id)
                order by w.crawl_id, w.band, w.host_id
                limit ${EXAMPLES}
             ) e), '[]') as "examples"`;

/** A host stands in the front queues as its hold, its state and its back queue say. */
export const standings: DeepStatement = { looksAt: 'standings', text: STANDINGS };
