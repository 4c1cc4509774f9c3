import { bandOf } from '../domain/band.ts';
import { hostKeyOf } from '../domain/host-key.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import { urlKeyOf } from '../domain/url-key.ts';
import type { Db, Tx } from './pool.ts';
import type { FoundLink } from './settle.ts';

/** How many seeds one outbox row carries; our choice, so that an admit stays a short transaction. */
const SEEDS_A_ROW = 500;

const ADD = `
  insert into outbox (crawl_id, links)
  select $1, links
    from unnest($2::jsonb[]) as rows (links)`;

/** Gives seeds to the crawl's frontier, all or none; they are admitted in its next round. */
export async function addSeeds(
  db: Db,
  { crawlId, bands }: { readonly crawlId: number; readonly bands: number },
  urls: readonly RequestUrl[],
): Promise<void> {
  const links = urls.map((url): FoundLink => ({
    url,
    key: urlKeyOf(url),
    host: hostKeyOf(url),
    depth: 0,
    hops: 0,
    band: bandOf({ url, depth: 0, bands }),
  }));
  const rows: string[] = [];
  for (let at = 0; at < links.length; at += SEEDS_A_ROW) {
    rows.push(JSON.stringify(links.slice(at, at + SEEDS_A_ROW)));
  }
  await db.query({ name: 'add_seeds', text: ADD, values: [crawlId, rows] });
}

// Index: host_crawl_pkey.
const TOUCH_HOST = `
  insert into outbox (crawl_id, host_id)
  select crawl_id, host_id
    from host_crawl
   where host_id = $1`;

/** Asks every crawl that knows the host to look at its standing anew. */
export async function touchHost(db: Db | Tx, hostId: number): Promise<void> {
  await db.query({ name: 'touch_host', text: TOUCH_HOST, values: [hostId] });
}
