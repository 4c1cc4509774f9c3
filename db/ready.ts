import { countQueued } from './queued-count.ts';
import type { Tx } from './pool.ts';
import type { Shard } from './shards.ts';

/** By how many URLs a host's front queue of one band has grown; negative where it shrank. */
export interface QueueChange {
  readonly hostId: number;
  readonly band: number;
  readonly urls: number;
}

// Indexes: host_pkey, host_crawl_pkey, url_assigned, url_queued (one row a band), ready_pkey. Nothing here reads more of
// a host than its first URL in each band and its assigned rows. A host that nobody serves any more has had its turn; its
// end counts at most from now, as the clock may have been set back since.
const SET_READY = `
  with rules as (
    select (settings ->> 'lowWater')::int as low_water,
           coalesce((settings ->> 'bands')::int, 8) as bands,
           (settings ->> 'sessionPages')::bigint as session_pages
      from crawl
     where crawl_id = $1
  ), touched as (
    select h.host_id,
           h.state,
           h.hold_since is not null and (h.hold_until is null or h.hold_until > clock_timestamp()) as held,
           h.hold_until,
           case when greatest(h.blocked_until, hc.blocked_until) > clock_timestamp()
                then greatest(h.blocked_until, hc.blocked_until)
            end as blocked_until,
           hc.session_from,
           hc.pages - hc.session_from as session_pages,
           case when hc.session_from is not null and h.state <> 'live' then clock_timestamp()
                else least(hc.session_ended_at, clock_timestamp())
            end as session_ended_at
      from host h
      left join host_crawl hc on hc.host_id = h.host_id and hc.crawl_id = $1
     where h.host_id = any ($3::bigint[])
  ), ended as (
    update host_crawl
       set session_from = null,
           session_ended_at = touched.session_ended_at
      from touched
     where host_crawl.host_id = touched.host_id
       and host_crawl.crawl_id = $1
       and touched.session_from is not null
       and touched.state <> 'live'
  ), standing as (
    select t.host_id,
           case
             when t.held or t.blocked_until is not null then 'blocked'
             when (select count(*)
                     from url a
                    where a.host_id = t.host_id
                      and a.crawl_id = $1
                      and a.state = 'assigned'
                      and a.due_at <= statement_timestamp()) > rules.low_water then 'full'
             when t.state <> 'live' then 'idle'
             when t.session_pages >= rules.session_pages then 'spent'
             else 'live'
           end as standing,
           case when t.held then t.hold_until else t.blocked_until end as until_at,
           t.session_ended_at
      from touched t, rules
  ), fresh as (
    select s.host_id, b.band, first.due_at, greatest(first.due_at, s.session_ended_at) as turn_at, s.standing, s.until_at
      from standing s
     cross join rules
     cross join lateral generate_series(1, rules.bands) as b (band)
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
       and r.host_id = any ($3::bigint[])
       and not exists (select from fresh f where f.host_id = r.host_id and f.band = r.band)
  )
  insert into ready (crawl_id, shard, band, host_id, due_at, turn_at, standing, until_at, urls)
  select $1, $2, f.band, f.host_id, f.due_at, f.turn_at, f.standing, f.until_at, coalesce(c.urls, 0)
    from fresh f
    left join unnest($4::bigint[], $5::smallint[], $6::bigint[]) as c (host_id, band, urls)
           on c.host_id = f.host_id and c.band = f.band
  on conflict (crawl_id, host_id, band) do update
     set due_at = excluded.due_at,
         turn_at = excluded.turn_at,
         standing = excluded.standing,
         until_at = excluded.until_at,
         urls = ready.urls + excluded.urls
   where excluded.urls <> 0
      or (ready.due_at, ready.turn_at, ready.standing, ready.until_at)
         is distinct from (excluded.due_at, excluded.turn_at, excluded.standing, excluded.until_at)`;

/**
 * Sets the front queues of the given hosts, and of those whose queues have changed, from what they have queued, assigned
 * and owed, and counts what is queued. Holds the shard's lock; the queued rows themselves are written already.
 */
export async function setReady(
  tx: Tx,
  shard: Shard,
  hostIds: readonly number[],
  given: readonly QueueChange[] = [],
): Promise<void> {
  const changes = added(given);
  const hosts = new Set([...hostIds, ...changes.map(({ hostId }) => hostId)]);
  if (hosts.size === 0) return;
  await tx.query({
    name: 'set_ready',
    text: SET_READY,
    values: [
      shard.crawlId,
      shard.shard,
      [...hosts],
      changes.map(({ hostId }) => hostId),
      changes.map(({ band }) => band),
      changes.map(({ urls }) => urls),
    ],
  });
  await countQueued(tx, shard, changes);
}

/** One change a host and band, as a row can be changed but once in a statement. */
function added(changes: readonly QueueChange[]): readonly QueueChange[] {
  const sums = new Map<string, QueueChange>();
  for (const { hostId, band, urls } of changes) {
    const key = `${String(hostId)} ${String(band)}`;
    sums.set(key, { hostId, band, urls: (sums.get(key)?.urls ?? 0) + urls });
  }
  return [...sums.values()].filter(({ urls }) => urls !== 0);
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
         and shard = $2
         and standing = 'blocked'
         and until_at <= statement_timestamp()
       order by until_at
       limit $3
    ) ended`;

/** Hosts whose block has run out by itself. */
export async function blocksEnded(tx: Tx, { crawlId, shard }: Shard): Promise<readonly number[]> {
  const { rows } = await tx.query<{ hostId: number }>({
    name: 'blocks_ended',
    text: BLOCKS_ENDED,
    values: [crawlId, shard, ENDED_BLOCKS],
  });
  return rows.map(({ hostId }) => hostId);
}
