import { bandChooser, type BandChooser } from '../domain/band-rules.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { hostKeyOf } from '../domain/host-key.ts';
import { shardOf } from '../domain/shard-of.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import { urlKeyOf, type UrlKeyRules } from '../domain/url-key.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';
import type { FoundLink, ShardLinks } from './settle.ts';

/** How many links one outbox row carries: as many as a page has, for which admit's batches are made. */
const LINKS_A_ROW = 100;

const ADD = `
  insert into outbox (crawl_id, shard, found_on, links, left_out)
  select $1, shard, $2, links, case when at = 1 then $5::jsonb end
    from unnest($3::smallint[], $4::jsonb[]) with ordinality as rows (shard, links, at)`;

// Index: crawl_pkey. Read and written in one statement, so that of two commands at once none loses its roots.
const GROW_SCOPE = `
  update crawl
     set settings = jsonb_set(settings, '{scopeRoots}', (
           select coalesce(jsonb_agg(root order by root), '[]')
             from (select jsonb_array_elements_text(crawl.settings -> 'scopeRoots')
                    union
                   select unnest($2::text[])) as roots (root)))
   where crawl_id = $1
     and not settings -> 'scopeRoots' @> to_jsonb($2::text[])`;

/** The crawl that gets seeds. */
export interface SeedTarget {
  readonly crawlId: number;
  readonly settings: UrlKeyRules & Pick<CrawlSettings, 'bands' | 'priority' | 'rebands' | 'shards'>;
  /** What its scope is to be measured against as well, so that the seeds' links are in it. */
  readonly roots: readonly string[];
  /** Gives the seeds their bands; absent, the crawl's written rules alone do. */
  readonly choose?: BandChooser;
}

/**
 * Gives seeds to the crawl's frontier, all or none; they are admitted in its next rounds, whether it runs already or
 * is resumed later.
 *
 * @returns how many were handed over; the frontier may know some of them already.
 */
export async function addSeeds(
  db: Db,
  { crawlId, settings, roots, choose = bandChooser(settings) }: SeedTarget,
  batches: AsyncIterable<readonly RequestUrl[]>,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    let handedOver = 0;
    for await (const urls of batches) {
      await add(tx, { crawlId, foundOn: null, settings }, linksOf(urls, settings, choose));
      handedOver += urls.length;
    }
    // Last, since the crawl's row is locked from here on.
    await tx.query({ name: 'grow_scope', text: GROW_SCOPE, values: [crawlId, roots] });
    return handedOver;
  });
}

function linksOf(
  urls: readonly RequestUrl[],
  settings: SeedTarget['settings'],
  choose: BandChooser,
): readonly FoundLink[] {
  return urls.map((url) => ({
    url,
    key: urlKeyOf(url, settings),
    host: hostKeyOf(url),
    depth: 0,
    hops: 0,
    band: choose({ url, depth: 0 }).band,
    ...(settings.rebands === 0 ? {} : { rebands: settings.rebands }),
  }));
}

/** The crawl that gets links, and the page that named them. */
interface LinkTarget {
  readonly crawlId: number;
  readonly foundOn: string | null;
  readonly settings: { readonly shards: number };
  /** Links that it named and that were left out, by rule; counted with the others. */
  readonly leftOut?: Readonly<Record<string, number>>;
}

async function add(
  db: Db | Tx,
  { crawlId, foundOn, settings, leftOut = {} }: LinkTarget,
  links: readonly FoundLink[],
): Promise<void> {
  const rows = byShard(links, settings.shards).flatMap(({ shard, links: own }) =>
    inRows(own).map((row) => ({ shard, row })),
  );
  const leftOutText = leftOutJson(leftOut);
  if (rows.length === 0 && leftOutText !== null) rows.push({ shard: 0, row: '[]' });
  const values = [
    crawlId,
    foundOn,
    rows.map(({ shard }) => shard),
    rows.map(({ row }) => row),
    leftOutText,
  ];
  await db.query({ name: 'add_links', text: ADD, values });
}

/** Links for the writer of each shard. */
export function byShard(links: readonly FoundLink[], shards: number): readonly ShardLinks[] {
  const rows = new Map<number, FoundLink[]>();
  for (const link of links) {
    const shard = shardOf(link.host, shards);
    const own = rows.get(shard);
    if (own === undefined) rows.set(shard, [link]);
    else own.push(link);
  }
  return [...rows].map(([shard, own]) => ({ shard, links: own }));
}

/** `null` where nothing was. */
function leftOutJson(leftOut: Readonly<Record<string, number>>): string | null {
  return Object.keys(leftOut).length === 0 ? null : JSON.stringify(leftOut);
}

function inRows(links: readonly FoundLink[]): readonly string[] {
  const rows: string[] = [];
  for (let at = 0; at < links.length; at += LINKS_A_ROW) {
    rows.push(JSON.stringify(links.slice(at, at + LINKS_A_ROW)));
  }
  return rows;
}

/** Gives links to the crawl's frontier that no fetch's settle carries: those that a robots.txt or a sitemap names. */
export async function addFound(
  db: Db,
  target: LinkTarget,
  links: readonly FoundLink[],
): Promise<void> {
  const isNothing = links.length === 0 && leftOutJson(target.leftOut ?? {}) === null;
  if (!isNothing) await add(db, target, links);
}

// Index: host_crawl_pkey.
const TOUCH_HOST = `
  insert into outbox (crawl_id, shard, host_id)
  select crawl_id, shard, host_id
    from host_crawl
   where host_id = $1`;

/** Asks every crawl that knows the host to look at its standing anew. */
export async function touchHost(db: Db | Tx, hostId: number): Promise<void> {
  await db.query({ name: 'touch_host', text: TOUCH_HOST, values: [hostId] });
}
