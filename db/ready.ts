import type { Shard } from './shards.ts';
import type { Tx } from './pool.ts';

// Indexes: host_pkey, url_assigned, url_queued (one row a band), ready_pkey. Nothing here reads more of a host than
// its first URL in each band and its assigned rows.
const SET_READY = `
  with room as (
    select (settings ->> 'lowWater')::int as low_water
      from crawl
     where crawl_id = $1
  ), touched as (
    select h.host_id,
           h.state,
           h.hold_since is not null and (h.hold_until is null or h.hold_until > clock_timestamp()) as held,
           h.hold_until,
           case when h.blocked_until > clock_timestamp() then h.blocked_until end as blocked_until
      from host h
     where h.host_id = any ($2::bigint[])
  ), standing as (
    select t.host_id,
           case
             when t.held or t.blocked_until is not null then 'blocked'
             when (select count(*)
                     from url a
                    where a.host_id = t.host_id
                      and a.crawl_id = $1
                      and a.state = 'assigned'
                      and a.due_at <= clock_timestamp()) > room.low_water then 'full'
             when t.state = 'live' then 'live'
             else 'idle'
           end as standing,
           case when t.held then t.hold_until else t.blocked_until end as until_at
      from touched t, room
  ), fresh as (
    select s.host_id, b.band, first.due_at, s.standing, s.until_at
      from standing s
     cross join generate_series(1, 8) as b (band)
     cross join lateral (
       select u.due_at
         from url u
        where u.host_id = s.host_id
          and u.crawl_id = $1
          and u.band = b.band
          and u.state = 'queued'
        order by u.due_at
        limit 1
     ) first
  ), gone as (
    delete from ready r
     where r.crawl_id = $1
       and r.host_id = any ($2::bigint[])
       and not exists (select from fresh f where f.host_id = r.host_id and f.band = r.band)
  )
  insert into ready (crawl_id, band, host_id, due_at, standing, until_at)
  select $1, band, host_id, due_at, standing, until_at
    from fresh
  on conflict (crawl_id, band, host_id) do update
     set due_at = excluded.due_at,
         standing = excluded.standing,
         until_at = excluded.until_at
   where (ready.due_at, ready.standing, ready.until_at)
         is distinct from (excluded.due_at, excluded.standing, excluded.until_at)`;

/** Sets the front queues of the given hosts from what they have queued, assigned and owed. Holds the shard's lock. */
export async function setReady(
  tx: Tx,
  { crawlId }: Shard,
  hostIds: readonly number[],
): Promise<void> {
  if (hostIds.length === 0) return;
  await tx.query({ name: 'set_ready', text: SET_READY, values: [crawlId, [...hostIds]] });
}

/** Blocks looked at in one round; our choice. */
const ENDED_BLOCKS = 500;

// Index: ready_blocked.
const BLOCKS_ENDED = `
  select distinct host_id as "hostId"
    from (
      select host_id
        from ready
       where crawl_id = $1
         and standing = 'blocked'
         and until_at <= clock_timestamp()
       order by until_at
       limit $2
    ) ended`;

/** Hosts whose block has run out by itself. */
export async function blocksEnded(tx: Tx, { crawlId }: Shard): Promise<readonly number[]> {
  const { rows } = await tx.query<{ hostId: number }>({
    name: 'blocks_ended',
    text: BLOCKS_ENDED,
    values: [crawlId, ENDED_BLOCKS],
  });
  return rows.map(({ hostId }) => hostId);
}
