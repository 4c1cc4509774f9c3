import type { Tx } from '../pool.ts';
import { EXAMPLES, type DeepStatement } from './check.ts';

// One scan of host. A lease lasts for seconds (LEASE_MS of db/claim.ts): one that ends in over a minute was written
// under another clock.
const HOSTS = `
  with wrong as materialized (
    select 'leases' as name, host_key,
           'a token and an end within a minute, or neither' as expected,
           format('token %s, until %s', coalesce(lease_token::text, 'none'), coalesce(lease_until::text, 'none')) as found
      from host
     where (lease_token is null) <> (lease_until is null)
        or lease_until > clock_timestamp() + interval '1 minute'
     union all
    select 'holds', host_key, 'who, why and since, or none of them',
           format('who %s, why %s, since %s', coalesce(hold_who, 'none'), coalesce(hold_why, 'none'),
                  coalesce(hold_since::text, 'none'))
      from host
     where (hold_since is null) <> (hold_who is null)
        or (hold_since is null) <> (hold_why is null)
        or hold_since is null and hold_until is not null
  )
  select n.name,
         (select count(*) from host)::bigint as "compared",
         (select count(*) from wrong w where w.name = n.name)::int as "wrong",
         coalesce((
           select jsonb_agg(e)
             from (
               select 'host ' || w.host_key as what, w.expected, w.found
                 from wrong w
                where w.name = n.name
                order by w.host_key
                limit ${EXAMPLES}
             ) e), '[]') as "examples"
    from (values ('leases'), ('holds')) as n (name)`;

/** Each lease and each hold is whole. */
export const leasesAndHolds: DeepStatement = { looksAt: 'leases and holds', text: HOSTS };

/** What is no fault, and good to know. */
export interface HostFacts {
  /** Leases that ran out without a settle: the requests in flight at a kill. */
  readonly pastLeases: number;
  readonly heldHosts: number;
  /** Due URLs of running crawls in the back queues of hosts that no workflow seems to serve. */
  readonly unservedUrls: number;
}

// Indexes: host_held, url_assigned. One scan of host.
const FACTS = `
  select (select count(*) from host where lease_until < clock_timestamp())::int as "pastLeases",
         (select count(*) from host where hold_since is not null)::int as "heldHosts",
         (select count(*)
            from url u
            join host h using (host_id)
            join crawl c on c.crawl_id = u.crawl_id and c.state = 'running'
           where u.state = 'assigned'
             and u.due_at <= clock_timestamp()
             and h.state = 'idle'
             and h.hold_since is null)::int as "unservedUrls"`;

/** Counts what is no fault of anybody's. */
export async function readHostFacts(tx: Tx): Promise<HostFacts> {
  const { rows } = await tx.query<HostFacts>(FACTS);
  return rows[0] ?? { pastLeases: 0, heldHosts: 0, unservedUrls: 0 };
}
