import { bandWeights, type BandWeight } from '../domain/band.ts';
import {
  changedWithin,
  crawlSettingsOf,
  DEFAULT_SETTINGS,
  type CrawlSettings,
  type StoredSettings,
} from '../domain/crawl-settings.ts';
import type { CrawlState, EndReason } from '../domain/crawl-state.ts';
import { beginChore } from './chores.ts';
import { liftCrawlBlocks } from './host-policies.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';

/** One crawl: a namespace of frontier, scope and settings. */
export interface CrawlRow {
  readonly crawlId: number;
  readonly name: string;
  readonly state: CrawlState;
  readonly endReason: EndReason | null;
  readonly settings: CrawlSettings;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Since when it is being removed: some of its rows are gone. */
  readonly removingSince: Date | null;
}

const COLUMNS = `
         crawl_id as "crawlId",
         name,
         state,
         end_reason as "endReason",
         settings,
         started_at as "startedAt",
         ended_at as "endedAt",
         removing_since as "removingSince"`;

interface StoredCrawl extends Omit<CrawlRow, 'settings'> {
  readonly settings: StoredSettings;
}

function crawlOf(row: StoredCrawl): CrawlRow {
  return { ...row, settings: crawlSettingsOf(row.settings) };
}

const FIND = `
  select ${COLUMNS}
    from crawl
   where name = $1`;

/** The crawl of that name, if there is one. */
export async function findCrawl(db: Db, name: string): Promise<CrawlRow | undefined> {
  const { rows } = await db.query<StoredCrawl>({ name: 'find_crawl', text: FIND, values: [name] });
  return rows.map(crawlOf)[0];
}

const LIST = `
  select ${COLUMNS}
    from crawl
   order by name`;

/** Every crawl, by name. */
export async function listCrawls(db: Db): Promise<readonly CrawlRow[]> {
  const { rows } = await db.query<StoredCrawl>({ name: 'list_crawls', text: LIST });
  return rows.map(crawlOf);
}

const CREATE = `
  insert into crawl (name, settings, state)
  values ($1, $2, 'stopped')
  on conflict (name) do nothing
  returning ${COLUMNS}`;

// Index: crawl_name_key.
const LOCK = `
  select ${COLUMNS}
    from crawl
   where name = $1
     and removing_since is null
     for update`;

// Index: crawl_pkey.
const CHANGE = `
  update crawl
     set settings = $2
   where crawl_id = $1
  returning ${COLUMNS}`;

const ENSURE_SHARDS = `
  insert into shard (crawl_id, shard)
  select $1, shard
    from generate_series(0, $2::int - 1) as shards (shard)
  on conflict (crawl_id, shard) do nothing`;

/**
 * Makes a crawl, or gives the one of that name these settings, but for those that are fixed: two commands that make one
 * at the same moment agree on those of the first. It runs once its workflow opens it.
 */
export async function saveCrawl(db: Db, name: string, settings: CrawlSettings): Promise<CrawlRow> {
  return inTransaction(db, async (tx) => {
    const row = (await create(tx, name, settings)) ?? (await change(tx, name, settings));
    if (row === undefined) throw new Error(`Crawl "${name}" is being removed`);
    const crawl = crawlOf(row);
    const values = [crawl.crawlId, crawl.settings.shards];
    await tx.query({ name: 'ensure_shards', text: ENSURE_SHARDS, values });
    return crawl;
  });
}

async function create(
  tx: Tx,
  name: string,
  settings: CrawlSettings,
): Promise<StoredCrawl | undefined> {
  const values = [name, JSON.stringify(settings)];
  const { rows } = await tx.query<StoredCrawl>({ name: 'create_crawl', text: CREATE, values });
  return rows[0];
}

async function change(
  tx: Tx,
  name: string,
  wished: CrawlSettings,
): Promise<StoredCrawl | undefined> {
  const found = await tx.query<StoredCrawl>({ name: 'lock_crawl', text: LOCK, values: [name] });
  const before = found.rows[0];
  if (before === undefined) return undefined;
  const had = crawlSettingsOf(before.settings);
  const settings = changedWithin(had, wished);
  if (settings.excludes.some((rule) => !had.excludes.includes(rule))) {
    await beginChore(tx, before.crawlId, 'exclude');
  }
  if (settings.hostPagesADay !== had.hostPagesADay) await liftCrawlBlocks(tx, before.crawlId);
  const values = [before.crawlId, JSON.stringify(settings)];
  const { rows } = await tx.query<StoredCrawl>({ name: 'change_crawl', text: CHANGE, values });
  return rows[0];
}

// Index: crawl_name_key. A crawl that runs already keeps its start, so a repeated call changes nothing. One that is
// being removed is as good as gone.
const OPEN = `
  update crawl
     set state = case when $2 then 'running' else state end,
         end_reason = case when $2 then null else end_reason end,
         ended_at = case when $2 then null else ended_at end,
         run_started_at = case when $2 and state in ('stopped', 'finished') then clock_timestamp() else run_started_at end
   where name = $1
     and removing_since is null
  returning crawl_id as "crawlId",
            (select count(*)::int from shard s where s.crawl_id = crawl.crawl_id) as "shards",
            (settings ->> 'timeBudgetMs')::bigint - spent_ms
              - (extract(epoch from clock_timestamp() - run_started_at) * 1000)::bigint as "timeLeftMs"`;

/** What a crawl's workflow needs to begin; `timeLeftMs` is `null` where there is no time budget. */
export interface OpenedRow {
  readonly crawlId: number;
  readonly shards: number;
  readonly timeLeftMs: number | null;
}

/**
 * What the crawl's workflow needs to know; with `begin` the crawl is marked as running first: its URLs may be pulled
 * and claimed from now on.
 */
export async function openCrawl(
  db: Db,
  name: string,
  begin: boolean,
): Promise<OpenedRow | undefined> {
  const { rows } = await db.query<OpenedRow>({
    name: 'open_crawl',
    text: OPEN,
    values: [name, begin],
  });
  return rows[0];
}

// Index: crawl_pkey.
const STOP = `
  update crawl
     set state = 'stopping'
   where crawl_id = $1
     and state = 'running'`;

/** Refuses every further pull and claim of a crawl; what is in flight may end. */
export async function markStopping(db: Db, crawlId: number): Promise<void> {
  await db.query({ name: 'stop_crawl', text: STOP, values: [crawlId] });
}

// Index: crawl_pkey.
const END = `
  update crawl
     set state = case when $2 = 'stopped' then 'stopped' else 'finished' end,
         end_reason = $2,
         ended_at = clock_timestamp(),
         spent_ms = spent_ms + (extract(epoch from clock_timestamp() - run_started_at) * 1000)::bigint
   where crawl_id = $1
     and state in ('running', 'stopping')`;

/** Writes a crawl's end; a repeated call changes nothing. */
export async function endCrawl(db: Db, crawlId: number, reason: EndReason): Promise<void> {
  await db.query({ name: 'end_crawl', text: END, values: [crawlId, reason] });
}

// Index: crawl_pkey.
const VISIT_PAGES = `
  select (settings ->> 'visitPages')::int as "visitPages"
    from crawl
   where crawl_id = $1`;

/** The visit's pages that a crawl fixes; `null` where the prioritizer chooses. */
export async function visitPagesOf(db: Db, crawlId: number): Promise<number | null> {
  const { rows } = await db.query<{ visitPages: number | null }>({
    name: 'visit_pages',
    text: VISIT_PAGES,
    values: [crawlId],
  });
  return rows[0]?.visitPages ?? null;
}

// Index: crawl_pkey.
const BAND_SETTINGS = `
  select coalesce((settings ->> 'bands')::int, $2) as "bands",
         coalesce(settings -> 'weights', '[]') as "weights"
    from crawl
   where crawl_id = $1`;

/** The weights of a crawl's bands as they are now. */
export async function bandWeightsOf(db: Db, crawlId: number): Promise<readonly BandWeight[]> {
  const { rows } = await db.query<{ bands: number; weights: number[] }>({
    name: 'band_settings',
    text: BAND_SETTINGS,
    values: [crawlId, DEFAULT_SETTINGS.bands],
  });
  return rows.flatMap(bandWeights);
}

// Index: crawl_pkey.
const SET_WEIGHTS = `
  update crawl
     set settings = settings || jsonb_build_object('weights', $2::jsonb)
   where crawl_id = $1`;

/** Gives a crawl's bands other weights; its next pull goes by them. */
export async function setWeights(
  db: Db,
  crawlId: number,
  weights: readonly number[],
): Promise<void> {
  const values = [crawlId, JSON.stringify(weights)];
  await db.query({ name: 'set_weights', text: SET_WEIGHTS, values });
}

// Index: crawl_pkey.
const SHARDS = `
  select shard
    from shard
   where crawl_id = $1
   order by shard`;

/** The numbers of a crawl's shards. */
export async function shardsOf(db: Db, crawlId: number): Promise<readonly number[]> {
  const { rows } = await db.query<{ shard: number }>({
    name: 'shards_of',
    text: SHARDS,
    values: [crawlId],
  });
  return rows.map(({ shard }) => shard);
}
