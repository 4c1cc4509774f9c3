import { inTransaction, type Db, type Tx } from './pool.ts';

/** Rows deleted in one transaction, and hosts looked at for them; our choice. */
export const REMOVE_ROWS = 5_000;
export const REMOVE_HOSTS = 500;

/** What a removal takes with it. Hosts, their clocks and holds, and robots files stay: all crawls share them. */
export interface CrawlContents {
  readonly urls: number;
  readonly fetches: number;
}

// Indexes: shard_pkey; outcome_count has a row a kind. Fetches of robots.txt aren't counted there, so this is about.
const CONTENTS = `
  select (select coalesce(sum(known), 0)::bigint from shard where crawl_id = $1) as "urls",
         (select coalesce(sum(fetches), 0)::bigint
            from outcome_count
           where crawl_id = $1
             and outcome in ('fetched', 'unchanged', 'redirected', 'put off', 'failed')) as "fetches"`;

/** About how much a removal will delete, without reading it. */
export async function contentsOf(db: Db, crawlId: number): Promise<CrawlContents> {
  const { rows } = await db.query<CrawlContents>({ text: CONTENTS, values: [crawlId] });
  return rows[0] ?? { urls: 0, fetches: 0 };
}

// Index: crawl_pkey. The row's lock orders it against a start of the crawl: whichever comes second is refused.
const BEGIN = `
  update crawl
     set removing_since = coalesce(removing_since, clock_timestamp())
   where crawl_id = $1
     and state in ('stopped', 'finished')`;

/** Marks a crawl as being removed: it can't be started any more. False where it runs. */
export async function beginRemoval(db: Db, crawlId: number): Promise<boolean> {
  const { rowCount } = await db.query({ text: BEGIN, values: [crawlId] });
  return rowCount === 1;
}

/**
 * Deletes the rows of a crawl that `beginRemoval` has marked, in batches that are each a transaction: whenever it ends
 * early, a further call goes on. The crawl's own row goes last.
 *
 * @param goOn is told of the rows deleted since the last time, and answers whether to go on.
 * @returns whether the crawl is gone.
 */
export async function removeCrawlRows(
  db: Db,
  crawlId: number,
  goOn: (rows: number) => boolean,
): Promise<boolean> {
  const steps = [
    () => deleteOutbox(db, crawlId),
    hostSteps(db, crawlId),
    () => deleteSources(db, crawlId),
    fetchSteps(db, crawlId),
  ] as const;
  for (const step of steps) {
    for (let batch = await step(); batch !== undefined; batch = await step()) {
      if (!goOn(batch)) return false;
    }
  }
  await db.query({ text: DELETE_CRAWL, values: [crawlId] });
  return true;
}

/** Deletes one batch; gives its rows, or `undefined` where none were left. */
type Step = () => Promise<number | undefined>;

// Index: outbox_next.
const DELETE_OUTBOX = `
  delete from outbox
   where outbox_id in (
     select outbox_id
       from outbox
      where crawl_id = $1
      order by crawl_id, shard, outbox_id
      limit $2)`;

async function deleteOutbox(db: Db, crawlId: number): Promise<number | undefined> {
  const { rowCount } = await db.query({ text: DELETE_OUTBOX, values: [crawlId, REMOVE_ROWS] });
  return rowCount === 0 || rowCount === null ? undefined : rowCount;
}

// Index: source_crawl.
const DELETE_SOURCES = `
  delete from source
   where source_id in (
     select source_id
       from source
      where crawl_id = $1
      limit $2)`;

async function deleteSources(db: Db, crawlId: number): Promise<number | undefined> {
  const { rowCount } = await db.query({ text: DELETE_SOURCES, values: [crawlId, REMOVE_ROWS] });
  return rowCount === 0 || rowCount === null ? undefined : rowCount;
}

// Index: host_crawl_crawl.
const NEXT_HOSTS = `
  select host_id as "hostId"
    from host_crawl
   where crawl_id = $1
   limit $2`;

// Index: url_pkey, by its first two columns, in each partition.
const DELETE_URLS = `
  delete from url
   using (select host_id, crawl_id, key_hash
            from url
           where crawl_id = $1
             and host_id = any ($2::bigint[])
           limit $3) gone
   where url.host_id = gone.host_id
     and url.crawl_id = gone.crawl_id
     and url.key_hash = gone.key_hash`;

// Index: ready_pkey.
const DELETE_READY = `
  delete from ready
   where crawl_id = $1
     and host_id = any ($2::bigint[])`;

// Index: left_out_pkey.
const DELETE_LEFT_OUT = `
  delete from left_out
   where crawl_id = $1
     and host_id = any ($2::bigint[])`;

// Index: host_pkey. In id order, as every batch that locks hosts. The clock and the health stay as they are.
const FORGET_LEASE = `
  with forgetful as (
    select host_id
      from host
     where host_id = any ($2::bigint[])
       and lease_crawl_id = $1
     order by host_id
       for no key update
  )
  update host
     set lease_crawl_id = null
    from forgetful
   where host.host_id = forgetful.host_id`;

// Index: host_crawl_pkey.
const DELETE_PARTS = `
  delete from host_crawl
   where crawl_id = $1
     and host_id = any ($2::bigint[])`;

/** A host's part in the crawl goes only after its URLs, so that a removal that goes on finds them. */
function hostSteps(db: Db, crawlId: number): Step {
  let hosts: readonly number[] = [];
  return async () => {
    if (hosts.length === 0) hosts = await nextHosts(db, crawlId);
    if (hosts.length === 0) return undefined;
    const urls = await changed(db, DELETE_URLS, [crawlId, hosts, REMOVE_ROWS]);
    if (urls === REMOVE_ROWS) return urls;
    const parts = await inTransaction(db, async (tx) => {
      await tx.query({ text: DELETE_READY, values: [crawlId, hosts] });
      await tx.query({ text: DELETE_LEFT_OUT, values: [crawlId, hosts] });
      await tx.query({ text: FORGET_LEASE, values: [crawlId, hosts] });
      return changed(tx, DELETE_PARTS, [crawlId, hosts]);
    });
    hosts = [];
    return urls + parts;
  };
}

async function nextHosts(db: Db, crawlId: number): Promise<readonly number[]> {
  const { rows } = await db.query<{ hostId: number }>({
    text: NEXT_HOSTS,
    values: [crawlId, REMOVE_HOSTS],
  });
  return rows.map(({ hostId }) => hostId);
}

// Index: fetch_record_pkey, each batch from where the last one ended.
const DELETE_FETCHES = `
  with gone as (
    delete from fetch_record
     where fetch_id in (
       select fetch_id
         from fetch_record
        where crawl_id = $1
          and fetch_id > $2
        order by fetch_id
        limit $3)
    returning fetch_id, host_id
  )
  select max(fetch_id) as "last",
         count(*)::int as "rows",
         array_agg(distinct host_id) as "hostIds"
    from gone`;

interface GoneFetches {
  readonly last: number | null;
  readonly rows: number;
  readonly hostIds: readonly number[] | null;
}

/** Their hosts forget the crawl as well: a robots.txt may have led to a host that is none of the crawl's own. */
function fetchSteps(db: Db, crawlId: number): Step {
  let after = 0;
  return async () => {
    const gone = await inTransaction(db, async (tx) => {
      const values = [crawlId, after, REMOVE_ROWS];
      const { rows } = await tx.query<GoneFetches>({ text: DELETE_FETCHES, values });
      const hosts = rows[0]?.hostIds ?? [];
      if (hosts.length > 0) await tx.query({ text: FORGET_LEASE, values: [crawlId, hosts] });
      return rows[0];
    });
    if (gone?.last == null) return undefined;
    after = gone.last;
    return gone.rows;
  };
}

// Index: crawl_pkey. Takes the shards and counts with it, which are few; the rest is gone already.
const DELETE_CRAWL = `
  delete from crawl
   where crawl_id = $1
     and removing_since is not null`;

async function changed(db: Db | Tx, text: string, values: readonly unknown[]): Promise<number> {
  const { rowCount } = await db.query({ text, values: [...values] });
  return rowCount ?? 0;
}
