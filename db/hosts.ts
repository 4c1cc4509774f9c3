import { inTransaction, type Db } from './pool.ts';
import { touchHost } from './outbox.ts';

// Index: host_pkey. In id order, since several shards may name the same hosts.
const MARK_LIVE = `
  with fed as (
    select host_id
      from host
     where host_id = any ($1::bigint[])
       and state <> 'live'
     order by host_id
       for no key update
  )
  update host
     set state = 'live'
    from fed
   where host.host_id = fed.host_id`;

/** Counts hosts as live: their workflows are about to be fed. */
export async function markLive(db: Db, hostIds: readonly number[]): Promise<void> {
  await db.query({ name: 'mark_live', text: MARK_LIVE, values: [[...hostIds]] });
}

// Index: host_pkey.
const PARK = `
  update host
     set state = $2
   where host_id = $1
     and state <> $2`;

/** Records that a host's workflow rests or has ended; each of its crawls looks at its standing anew. */
export async function parkHost(
  db: Db,
  hostId: number,
  state: 'resting' | 'robots' | 'idle',
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query({ name: 'park_host', text: PARK, values: [hostId, state] });
    if (rowCount === 1) await touchHost(tx, hostId);
  });
}

// Index: host_active.
const ASKED = `
  select fetch_ms as "fetchMs",
         gap_ms as "gapMs"
    from host
   where state = 'live'
   limit 10000`;

/** The pace of the live hosts of all crawls, from which the visit's budget follows. */
export async function livePaces(
  db: Db,
): Promise<readonly { readonly fetchMs: number; readonly gapMs: number }[]> {
  const { rows } = await db.query<{ fetchMs: number; gapMs: number }>({
    name: 'live_paces',
    text: ASKED,
  });
  return rows;
}

/** Hosts fed again in one pass; our choice. */
export const REFEED_HOSTS = 500;

// Indexes: url_assigned, host_pkey, host_crawl_pkey. A host that was allowed for a minute and still has due URLs has lost its workflow
// or its signal.
const FORGOTTEN = `
  select h.host_id as "hostId",
         h.host_key as "hostKey",
         count(*)::int as "count"
    from url u
    join host h on h.host_id = u.host_id
    join crawl c on c.crawl_id = u.crawl_id and c.state = 'running'
    left join host_crawl hc on hc.host_id = u.host_id and hc.crawl_id = u.crawl_id
   where u.state = 'assigned'
     and ($1::int is null or u.crawl_id = $1)
     and ($2::boolean
          or (u.due_at < clock_timestamp() - interval '1 minute'
              and h.hold_since is null
              and (h.lease_until is null or h.lease_until < clock_timestamp())
              and h.next_allowed_at < clock_timestamp() - interval '1 minute'
              and (hc.blocked_until is null or hc.blocked_until < clock_timestamp() - interval '1 minute')))
     and h.host_id > $3
   group by h.host_id, h.host_key
   order by h.host_id
   limit $4`;

/** A host to be fed again. */
export interface ForgottenHost {
  readonly hostId: number;
  readonly hostKey: string;
  readonly count: number;
}

/**
 * Hosts whose assigned URLs nobody seems to serve, after the host id `after`; all hosts with assigned URLs where
 * `atOnce`, as after a crash. At most 500 a call.
 */
export async function forgottenHosts(
  db: Db,
  {
    crawlId,
    atOnce,
    after,
  }: { readonly crawlId: number | undefined; readonly atOnce: boolean; readonly after: number },
): Promise<readonly ForgottenHost[]> {
  const values = [crawlId ?? null, atOnce, after, REFEED_HOSTS];
  const { rows } = await db.query<ForgottenHost>({
    name: 'forgotten_hosts',
    text: FORGOTTEN,
    values,
  });
  return rows;
}

// Index: host_held.
const HELD_HOSTS = `
  select host_id as "hostId",
         host_key as "hostKey",
         0 as "count"
    from host
   where hold_since is not null
   order by host_id`;

/** Every paused host, so that its workflow can be found in the UI again. */
export async function heldHosts(db: Db): Promise<readonly ForgottenHost[]> {
  const { rows } = await db.query<ForgottenHost>({ name: 'held_hosts', text: HELD_HOSTS });
  return rows;
}

// Indexes: host_active, url_assigned. A host of no running crawl's assigned URLs has nobody who serves it.
const PARK_FORGOTTEN = `
  with forgotten as (
    select h.host_id
      from host h
     where h.state <> 'idle'
       and ($2::float8 is null or h.next_allowed_at < clock_timestamp() - $2 * interval '1 millisecond')
       and (h.lease_until is null or h.lease_until < clock_timestamp())
       and not exists (
         select
           from url u
           join crawl c on c.crawl_id = u.crawl_id and c.state = 'running'
          where u.host_id = h.host_id
            and u.state = 'assigned')
     order by h.host_id
     limit $1
       for no key update of h
  )
  update host
     set state = 'idle'
    from forgotten
   where host.host_id = forgotten.host_id
  returning host.host_id as "hostId"`;

/**
 * Hosts that count as live though they have nothing to serve (a crash lost their workflows, or their crawl has ended)
 * count as idle again and no longer fill the cap of live hosts. Gives their number, at most 500.
 *
 * @param afterMs how long a host must have been free to be asked; `null` where even its gap does not matter.
 */
export async function parkForgotten(db: Db, afterMs: number | null): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ hostId: number }>({
      name: 'park_forgotten',
      text: PARK_FORGOTTEN,
      values: [REFEED_HOSTS, afterMs],
    });
    for (const { hostId } of rows) await touchHost(tx, hostId);
    return rows.length;
  });
}
