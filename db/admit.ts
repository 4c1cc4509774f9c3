import { keepDueTimes } from './due-times.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';
import { blocksEnded, setReady } from './ready.ts';
import type { FoundLink } from './settle.ts';
import { lockShard, type Shard } from './shards.ts';

/** Outbox rows taken in one transaction; our choice: at some 100 links a page it inserts for under a second. */
export const ADMIT_ROWS = 200;

// Index: outbox_next. Deleted in the transaction that inserts their links.
const TAKE = `
  delete from outbox
   where outbox_id in (
     select outbox_id
       from outbox
      where crawl_id = $1
        and shard = $2
      order by outbox_id
      limit $3)
  returning host_id as "hostId", outcome, bytes, settled, released, found_on as "foundOn", links`;

interface TakenRow {
  readonly hostId: number | null;
  readonly outcome: string | null;
  readonly bytes: number;
  readonly settled: number;
  readonly released: number;
  readonly foundOn: string | null;
  readonly links: readonly FoundLink[];
}

/** What one round's admit did. */
export interface Admitted {
  readonly rows: number;
  readonly admitted: number;
}

/**
 * Takes the oldest outbox rows of a shard: their links pass the URL-seen test into the frontier, their outcomes are
 * counted, and the front queues of every host concerned are set. One transaction.
 */
export async function admit(db: Db, shard: Shard): Promise<Admitted> {
  return inTransaction(db, async (tx) => {
    await lockShard(tx, shard);
    await keepDueTimes(tx, shard);
    const taken = await take(tx, shard);
    const entered = await insertLinks(tx, shard, taken);
    await count(tx, shard, taken, entered.byBand);
    const named = taken.flatMap(({ hostId }) => hostId ?? []);
    const hosts = new Set([...named, ...entered.hostIds, ...(await blocksEnded(tx, shard))]);
    await setReady(tx, shard, [...hosts]);
    return { rows: taken.length, admitted: entered.admitted };
  });
}

async function take(tx: Tx, { crawlId, shard }: Shard): Promise<readonly TakenRow[]> {
  const values = [crawlId, shard, ADMIT_ROWS];
  const { rows } = await tx.query<TakenRow>({ name: 'take_outbox', text: TAKE, values });
  return rows;
}

// Index: host_host_key_key. In key order, since crawls share the table.
const INSERT_HOSTS = `
  insert into host (host_key)
  select host_key
    from (select distinct unnest($1::text[]) as host_key) named
   order by host_key
  on conflict (host_key) do nothing`;

// Index: url_pkey, the URL-seen test (R22). Inserted in key order, due in the order in which they were found (R4).
const INSERT_URLS = `
  with found as (
    select h.host_id, md5(l.key)::uuid as key_hash, l.url, l.band, l.depth, l.hops, l.found_on, l.place
      from unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::text[])
           with ordinality as l (url, key, host, band, depth, hops, found_on, place)
      join host h on h.host_key = l.host
  )
  insert into url (host_id, crawl_id, key_hash, request_url, band, depth, hops, found_on, due_at)
  select host_id, $1, key_hash, url, band, depth, hops, found_on,
         statement_timestamp() - ($9 - place) * interval '1 microsecond'
    from found
   order by host_id, key_hash
  on conflict (host_id, crawl_id, key_hash) do nothing
  returning host_id as "hostId", band`;

const INSERT_HOST_CRAWLS = `
  insert into host_crawl (host_id, crawl_id)
  select host_id, $1
    from unnest($2::bigint[]) as hosts (host_id)
   order by host_id
  on conflict (host_id, crawl_id) do nothing`;

interface Entered {
  readonly admitted: number;
  readonly hostIds: ReadonlySet<number>;
  readonly byBand: ReadonlyMap<number, number>;
}

async function insertLinks(
  tx: Tx,
  { crawlId }: Shard,
  taken: readonly TakenRow[],
): Promise<Entered> {
  const links = withoutRepeats(taken);
  if (links.length === 0) return { admitted: 0, hostIds: new Set(), byBand: new Map() };
  await tx.query({
    name: 'insert_hosts',
    text: INSERT_HOSTS,
    values: [links.map(({ host }) => host)],
  });
  const values = [
    crawlId,
    links.map(({ url }) => url),
    links.map(({ key }) => key),
    links.map(({ host }) => host),
    links.map(({ band }) => band),
    links.map(({ depth }) => depth),
    links.map(({ hops }) => hops),
    links.map(({ foundOn }) => foundOn),
    links.length,
  ];
  const { rows } = await tx.query<{ hostId: number; band: number }>({
    name: 'insert_urls',
    text: INSERT_URLS,
    values,
  });
  const hostIds = new Set(rows.map(({ hostId }) => hostId));
  await tx.query({
    name: 'insert_host_crawls',
    text: INSERT_HOST_CRAWLS,
    values: [crawlId, [...hostIds]],
  });
  const byBand = new Map<number, number>();
  for (const { band } of rows) byBand.set(band, (byBand.get(band) ?? 0) + 1);
  return { admitted: rows.length, hostIds, byBand };
}

type EnteringLink = FoundLink & { readonly foundOn: string | null };

/**
 * Each URL key once, at its place and with the least depth: a page's links repeat often, and an insert must not meet a
 * key twice.
 */
function withoutRepeats(taken: readonly TakenRow[]): readonly EnteringLink[] {
  const byKey = new Map<string, EnteringLink>();
  for (const { foundOn, links } of taken) {
    for (const link of links) {
      const before = byKey.get(link.key);
      if (before === undefined || link.depth < before.depth)
        byKey.set(link.key, { ...link, foundOn });
    }
  }
  return [...byKey.values()];
}

// Index: crawl_pkey. A settled page leaves the reservations that were outstanding for it.
const COUNT_PAGES = `
  update crawl
     set pages_settled = pages_settled + $2,
         pages_reserved = greatest(pages_reserved - $3, 0)
   where crawl_id = $1`;

const COUNT_OUTCOMES = `
  insert into outcome_count (crawl_id, outcome, fetches, bytes)
  select $1, outcome, fetches, bytes
    from unnest($2::text[], $3::bigint[], $4::bigint[]) as o (outcome, fetches, bytes)
   order by outcome
  on conflict (crawl_id, outcome) do update
     set fetches = outcome_count.fetches + excluded.fetches,
         bytes = outcome_count.bytes + excluded.bytes`;

const COUNT_KNOWN = `
  update shard
     set known = known + $3
   where crawl_id = $1
     and shard = $2`;

const COUNT_QUEUED = `
  insert into queued_count (crawl_id, shard, band, urls)
  select $1, $2, band, urls
    from unnest($3::smallint[], $4::bigint[]) as q (band, urls)
  on conflict (crawl_id, shard, band) do update
     set urls = queued_count.urls + excluded.urls`;

/** Adds to the number of queued URLs by band; negative where they were assigned. Holds the shard's lock. */
export async function countQueued(
  tx: Tx,
  { crawlId, shard }: Shard,
  byBand: ReadonlyMap<number, number>,
): Promise<void> {
  if (byBand.size === 0) return;
  const values = [crawlId, shard, [...byBand.keys()], [...byBand.values()]];
  await tx.query({ name: 'count_queued', text: COUNT_QUEUED, values });
}

async function count(
  tx: Tx,
  shard: Shard,
  taken: readonly TakenRow[],
  entered: ReadonlyMap<number, number>,
): Promise<void> {
  const { crawlId } = shard;
  const known = sum([...entered.values()]);
  const settled = sum(taken.map((row) => row.settled));
  const released = sum(taken.map((row) => row.released));
  if (settled + released > 0) {
    await tx.query({
      name: 'count_pages',
      text: COUNT_PAGES,
      values: [crawlId, settled, released],
    });
  }
  if (known > 0) {
    await tx.query({
      name: 'count_known',
      text: COUNT_KNOWN,
      values: [crawlId, shard.shard, known],
    });
  }
  await countQueued(tx, shard, entered);
  const outcomes = outcomesOf(taken);
  const tallies = [...outcomes.values()];
  await tx.query({
    name: 'count_outcomes',
    text: COUNT_OUTCOMES,
    values: [
      crawlId,
      [...outcomes.keys()],
      tallies.map(({ fetches }) => fetches),
      tallies.map(({ bytes }) => bytes),
    ],
  });
}

function outcomesOf(
  taken: readonly TakenRow[],
): ReadonlyMap<string, { fetches: number; bytes: number }> {
  const outcomes = new Map<string, { fetches: number; bytes: number }>();
  for (const { outcome, bytes } of taken) {
    if (outcome === null) continue;
    const tally = outcomes.get(outcome) ?? { fetches: 0, bytes: 0 };
    outcomes.set(outcome, { fetches: tally.fetches + 1, bytes: tally.bytes + bytes });
  }
  return outcomes;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
