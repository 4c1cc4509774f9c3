import {
  admissionLimitsOf,
  notExcluded,
  withinHostQueues,
  type Admissible,
} from './admission-limits.ts';
import { keepDueTimes } from './due-times.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import { rebanded } from './band-rules-now.ts';
import { hostIdsOf, type HostIds } from './host-ids.ts';
import { countLeftOut, type LeftOutLinks } from './left-out.ts';
import { countOutcomes, type OutcomeTally } from './outcome-count.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';
import { blocksEnded, setReady, type QueueChange } from './ready.ts';
import type { FoundLink } from './settle.ts';
import { countFiltered } from './seen-filter-count.ts';
import { lockShard, type Shard } from './shards.ts';
import { drawSources, keepSources } from './sources.ts';

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
  returning host_id as "hostId", outcome, bytes, settled, released, found_on as "foundOn", links, left_out as "leftOut"`;

interface TakenRow {
  readonly hostId: number | null;
  readonly outcome: string | null;
  readonly bytes: number;
  readonly settled: number;
  readonly released: number;
  readonly foundOn: string | null;
  readonly links: readonly FoundLink[];
  readonly leftOut: Readonly<Record<string, number>> | null;
}

/** What one round's admit did. */
export interface Admitted {
  readonly rows: number;
  readonly admitted: number;
  /** Keys that the frontier holds, new ones and others. */
  readonly seen: readonly string[];
}

/** By what else links are judged. */
export interface AdmitBy {
  /** Reads the crawl's own module. */
  readonly prioritizerFor?: PrioritizerFor | undefined;
  /** Leaves out unasked what it may hold, but for a few links by which its errors are counted. */
  readonly filter?: SeenFilter | undefined;
}

/** What stands in front of the unique key where a crawl knows URLs by filter only. */
export interface SeenFilter {
  /** False: the frontier surely holds no such key. */
  readonly mayHold: (key: string) => boolean;
  /** Whether a link that it may hold is checked all the same. */
  readonly checks: () => boolean;
}

/**
 * Takes the oldest outbox rows of a shard: their links pass the URL-seen test into the frontier, their outcomes are
 * counted, and the front queues of every host concerned are set. One transaction.
 *
 * @param by where links are to be judged anew, and what stands in front of the unique key.
 */
export async function admit(db: Db, shard: Shard, by: AdmitBy = {}): Promise<Admitted> {
  return inTransaction(db, async (tx) => {
    await lockShard(tx, shard);
    await keepDueTimes(tx, shard);
    const taken = await take(tx, shard);
    const { changes, admitted, seen, leftOut } = await enter(tx, shard, taken, by);
    await count(tx, shard, taken, admitted);
    await countLeftOut(tx, shard.crawlId, [...taken.flatMap(leftOutOfPage), ...leftOut]);
    const named = taken.flatMap(({ hostId }) => hostId ?? []);
    await setReady(tx, shard, [...named, ...(await blocksEnded(tx, shard))], changes);
    return { rows: taken.length, admitted, seen };
  });
}

async function take(tx: Tx, { crawlId, shard }: Shard): Promise<readonly TakenRow[]> {
  const values = [crawlId, shard, ADMIT_ROWS];
  const { rows } = await tx.query<TakenRow>({ name: 'take_outbox', text: TAKE, values });
  return rows;
}

/** Links that the crawl's settings of now take, and that find room, with the ids of their hosts. */
async function admissible(
  tx: Tx,
  { crawlId }: Shard,
  found: readonly EnteringLink[],
  prioritizerFor: PrioritizerFor | undefined,
): Promise<Admissible<EnteringLink> & { readonly hostIds: HostIds }> {
  if (found.length === 0) return { links: found, leftOut: [], hostIds: new Map() };
  const limits = await admissionLimitsOf(tx, crawlId);
  const own = notExcluded(found, limits);
  const links = await rebanded(tx, crawlId, own.links, prioritizerFor);
  const hostIds = await hostIdsOf(tx, new Set(links.map(({ host }) => host)));
  const fitting = await withinHostQueues(tx, crawlId, links, { hostIds, ...limits });
  return { links: fitting.links, leftOut: [...own.leftOut, ...fitting.leftOut], hostIds };
}

function leftOutOfPage({ hostId, leftOut }: TakenRow): readonly LeftOutLinks[] {
  return Object.entries(leftOut ?? {}).map(([reason, links]) => ({ hostId, reason, links }));
}

// Index: url_pkey, the URL-seen test (R22). Inserted in key order, due in the order in which they were found (R4).
const INSERT_URLS = `
  with entered as (
    insert into url (host_id, crawl_id, key_hash, request_url, band, depth, hops, source_id, sitemap_priority, due_at)
    select host_id, $1, md5(key)::uuid, url, band, depth, hops, source_id, sitemap_priority,
           statement_timestamp() - ($9 - place) * interval '1 microsecond'
      from unnest($2::bigint[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::bigint[],
                  $10::real[])
           with ordinality as l (host_id, key, url, band, depth, hops, source_id, sitemap_priority, place)
     order by host_id, md5(key)::uuid
    on conflict (host_id, crawl_id, key_hash) do nothing
    returning host_id, band, source_id
  )
  select host_id as "hostId",
         band,
         count(*)::int as "urls",
         coalesce(jsonb_agg(distinct source_id) filter (where source_id is not null), '[]') as "sourceIds"
    from entered
   group by host_id, band`;

const INSERT_HOST_CRAWLS = `
  insert into host_crawl (host_id, crawl_id, shard)
  select host_id, $1, $2
    from (select distinct unnest($3::bigint[]) as host_id) hosts
   order by host_id
  on conflict (host_id, crawl_id) do nothing`;

interface EnteredRow extends QueueChange {
  readonly sourceIds: readonly number[];
}

interface Entered extends Pick<Admitted, 'admitted' | 'seen'> {
  readonly changes: readonly QueueChange[];
  readonly leftOut: readonly LeftOutLinks[];
}

async function enter(
  tx: Tx,
  shard: Shard,
  taken: readonly TakenRow[],
  { filter, prioritizerFor }: AdmitBy,
): Promise<Entered> {
  const found = withoutRepeats(taken);
  const { links, leftOut, hostIds } = await admissible(tx, shard, found, prioritizerFor);
  const { fresh, checked, unasked } = sifted(links, filter);
  const changes = await insertLinks(tx, shard, fresh, hostIds);
  const wrong = await insertLinks(tx, shard, checked, hostIds);
  if (filter !== undefined) {
    const tally = { entered: urlsIn(changes), leftOut: unasked, checked: checked.length };
    await countFiltered(tx, shard, { ...tally, wrong: urlsIn(wrong) });
  }
  return {
    leftOut,
    changes: [...changes, ...wrong],
    admitted: urlsIn(changes) + urlsIn(wrong),
    seen: [...fresh, ...checked].map(({ key }) => key),
  };
}

interface Sifted {
  readonly fresh: readonly EnteringLink[];
  readonly checked: readonly EnteringLink[];
  /** Links that the filter may hold and nobody asks about. */
  readonly unasked: number;
}

function sifted(links: readonly EnteringLink[], filter: SeenFilter | undefined): Sifted {
  if (filter === undefined) return { fresh: links, checked: [], unasked: 0 };
  const maybe = new Set(links.filter(({ key }) => filter.mayHold(key)));
  const checked = [...maybe].filter(filter.checks);
  return {
    fresh: links.filter((link) => !maybe.has(link)),
    checked,
    unasked: maybe.size - checked.length,
  };
}

function urlsIn(changes: readonly QueueChange[]): number {
  return sum(changes.map(({ urls }) => urls));
}

/** Gives by how much the front queues have grown. */
async function insertLinks(
  tx: Tx,
  { crawlId, shard }: Shard,
  links: readonly EnteringLink[],
  hostIds: HostIds,
): Promise<readonly QueueChange[]> {
  if (links.length === 0) return [];
  const sources = await drawSources(tx, links);
  const values = [
    crawlId,
    links.map(({ host }) => hostIds.get(host)),
    links.map(({ key }) => key),
    links.map(({ url }) => url),
    links.map(({ band }) => band),
    links.map(({ depth }) => depth),
    links.map(({ hops }) => hops),
    links.map(({ foundOn }) => (foundOn === null ? null : sources.get(foundOn))),
    links.length,
    links.map(({ sitemapPriority }) => sitemapPriority ?? null),
  ];
  const { rows } = await tx.query<EnteredRow>({ name: 'insert_urls', text: INSERT_URLS, values });
  await keepSources(tx, crawlId, sources, new Set(rows.flatMap(({ sourceIds }) => sourceIds)));
  await tx.query({
    name: 'insert_host_crawls',
    text: INSERT_HOST_CRAWLS,
    values: [crawlId, shard, rows.map(({ hostId }) => hostId)],
  });
  return rows;
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

const COUNT_KNOWN = `
  update shard
     set known = known + $3
   where crawl_id = $1
     and shard = $2`;

async function count(
  tx: Tx,
  shard: Shard,
  taken: readonly TakenRow[],
  known: number,
): Promise<void> {
  const { crawlId } = shard;
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
  await countOutcomes(tx, crawlId, outcomesOf(taken));
}

function outcomesOf(taken: readonly TakenRow[]): ReadonlyMap<string, OutcomeTally> {
  const outcomes = new Map<string, OutcomeTally>();
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
