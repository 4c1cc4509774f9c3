import type { Tx } from './pool.ts';

// Index: host_host_key_key. In key order, since crawls share the table.
const FIND_HOSTS = `
  with named as (
    select unnest($1::text[]) as host_key
  ), known as (
    select h.host_id, h.host_key
      from named
     cross join lateral (select * from host where host.host_key = named.host_key limit 1) h
  ), entered as (
    insert into host (host_key)
    select host_key
      from named
     where host_key not in (select host_key from known)
     order by host_key
    on conflict (host_key) do nothing
    returning host_id, host_key
  )
  select host_id as "hostId", host_key as "hostKey" from known
  union all
  select host_id, host_key from entered`;

/** Ids of hosts by their keys. */
export type HostIds = ReadonlyMap<string, number>;

/** The ids of hosts by their keys; those that nobody has heard of enter the table of hosts. */
export async function hostIdsOf(tx: Tx, hostKeys: ReadonlySet<string>): Promise<HostIds> {
  const ids = new Map<string, number>();
  // Another crawl may enter a host at the same time: its row is seen by the next statement only.
  while (ids.size < hostKeys.size) {
    const { rows } = await tx.query<{ hostId: number; hostKey: string }>({
      name: 'find_hosts',
      text: FIND_HOSTS,
      values: [[...hostKeys].filter((hostKey) => !ids.has(hostKey))],
    });
    for (const { hostId, hostKey } of rows) ids.set(hostKey, hostId);
  }
  return ids;
}
