import { createHash } from 'node:crypto';

import { openCrawl, saveCrawl } from '../db/crawls.ts';
import type { Db } from '../db/pool.ts';
import { DEFAULT_SETTINGS } from '../domain/crawl-settings.ts';
import { shardOf } from '../domain/shard-of.ts';

/** How big: URLs in all, over how many hosts, in how many shards. */
export interface FrontierSize {
  readonly urls: number;
  readonly hosts: number;
  readonly shards: number;
}

/** A filled frontier, and which of its URLs exist: those of host `n` are numbered from 0 to below `urlsOf[n]`. */
export interface BigFrontier {
  readonly crawlId: number;
  readonly size: FrontierSize;
  /** By host number, from 1. Links that enter later are counted here by their maker. */
  readonly urlsOf: Int32Array;
}

/** One host has a fifth of all URLs. */
const BIGGEST_SHARE = 0.2;

/** Rows come in as a crawl finds them, a part of each host at a time, so that indexes are as full as in a real one. */
const FILLS = 10;

const HOSTS_AT_ONCE = 100_000;

export function hostOf(n: number): string {
  return `h${String(n)}.example.org`;
}

/** Some 59 characters; also its key. */
export function urlOf(n: number, k: number): string {
  const page = createHash('md5').update(String(k)).digest('hex').slice(0, 22);
  return `https://${hostOf(n)}/articles/${page}`;
}

const URL_OF = `'https://h' || n || '.example.org/articles/' || substr(md5(k::text), 1, 22)`;

/**
 * Fills an empty database: one host with a fifth of the URLs, a long tail of the others, a third of the hosts held or
 * resting, a tenth of the URLs done, each host in one of three bands.
 */
export async function fillFrontier(
  db: Db,
  size: FrontierSize,
  say: (line: string) => void,
): Promise<BigFrontier> {
  const settings = {
    ...DEFAULT_SETTINGS,
    userAgent: 'Bench/1.0 (+https://example.com/bot)',
    shards: size.shards,
    liveHostCap: size.hosts,
  };
  const { crawlId } = await saveCrawl(db, 'bench', settings);
  await openCrawl(db, 'bench', true);
  const urlsOf = hostSizes(size);
  await fillHosts(db, crawlId, size, urlsOf);
  for (let fill = 0; fill < FILLS; fill += 1) {
    await db.query(FILL_URLS, [crawlId, fill, FILLS]);
    say(
      `filling ${size.urls.toLocaleString('en-US')} URLs: ${String((fill + 1) * (100 / FILLS))} %`,
    );
  }
  for (const statement of [FILL_READY, COUNT_QUEUED, COUNT_KNOWN]) {
    await db.query(statement, [crawlId]);
  }
  await db.query('drop table bench_host');
  await db.query('vacuum analyze');
  return { crawlId, size, urlsOf };
}

/** The tail falls as 1/n, with at least one URL a host; what is left over goes to the second. */
function hostSizes({ urls, hosts }: FrontierSize): Int32Array {
  const sizes = new Int32Array(hosts + 1);
  sizes[1] = Math.floor(urls * BIGGEST_SHARE);
  const tail = urls - sizes[1] - (hosts - 1);
  let harmonic = 0;
  for (let n = 2; n <= hosts; n += 1) harmonic += 1 / (n + 1000);
  let left = tail;
  for (let n = hosts; n > 2; n -= 1) {
    const more = Math.floor(tail / harmonic / (n + 1000));
    sizes[n] = 1 + more;
    left -= more;
  }
  sizes[2] = 1 + left;
  return sizes;
}

const MAKE_BENCH_HOST = `
  create unlogged table bench_host (n bigint primary key, urls integer not null, shard smallint not null)`;

const KEEP_SIZES = `
  insert into bench_host
  select * from unnest($1::bigint[], $2::int[], $3::smallint[])`;

const FILL_HOSTS = `
  insert into host (host_id, host_key, hold_since, hold_who, hold_why, blocked_until) overriding system value
  select n, 'h' || n || '.example.org',
         case when n % 6 = 0 then now() end,
         case when n % 6 = 0 then 'bench' end,
         case when n % 6 = 0 then 'bench' end,
         case when n % 6 = 3 then now() + interval '1 day' end
    from bench_host
   order by n`;

const GO_ON_NUMBERING = `
  select setval(pg_get_serial_sequence('host', 'host_id'), (select max(host_id) from host))`;

const FILL_ROBOTS = `
  insert into robots (host_id, origin, access, version, status, fetched_at, expires_at)
  select host_id, 'https://' || host_key, 'allowAll', 1, 404, now(), now() + interval '1 day'
    from host`;

const FILL_HOST_CRAWLS = `
  insert into host_crawl (host_id, crawl_id, shard)
  select n, $1, shard
    from bench_host`;

async function fillHosts(
  db: Db,
  crawlId: number,
  { hosts, shards }: FrontierSize,
  urlsOf: Int32Array,
): Promise<void> {
  await db.query(MAKE_BENCH_HOST);
  for (let from = 1; from <= hosts; from += HOSTS_AT_ONCE) {
    const count = Math.min(HOSTS_AT_ONCE, hosts + 1 - from);
    const numbers = Array.from({ length: count }, (_, at) => from + at);
    const sizes = numbers.map((n) => urlsOf[n]);
    await db.query(KEEP_SIZES, [numbers, sizes, numbers.map((n) => shardOf(hostOf(n), shards))]);
  }
  for (const statement of [FILL_HOSTS, GO_ON_NUMBERING, FILL_ROBOTS]) await db.query(statement);
  await db.query(FILL_HOST_CRAWLS, [crawlId]);
}

const FILL_URLS = `
  insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
  select n, $1, md5(url)::uuid, url,
         (case when (n + k) % 10 = 9 then 'done' else 'queued' end)::url_state,
         1 + n % 3, 1,
         now() - interval '1 hour' + (n * 7919 + k) % 3000 * interval '1 s'
    from (select n, k, ${URL_OF} as url
            from bench_host,
                 generate_series((($2 - n % $3 + $3) % $3)::int, urls - 1, $3::int) as k) numbered`;

const FILL_READY = `
  insert into ready (crawl_id, shard, band, host_id, due_at, turn_at, standing, until_at, urls)
  select $1, hc.shard, q.band, q.host_id, q.due_at, q.due_at,
         case when h.hold_since is not null or h.blocked_until is not null then 'blocked' else 'idle' end,
         h.blocked_until, q.urls
    from (select host_id, band, min(due_at) as due_at, count(*) as urls
            from url
           where state = 'queued'
           group by host_id, band) q
    join host h on h.host_id = q.host_id
    join host_crawl hc on hc.host_id = q.host_id and hc.crawl_id = $1`;

const COUNT_QUEUED = `
  insert into queued_count (crawl_id, shard, band, urls)
  select $1, shard, band, sum(urls)
    from ready
   group by shard, band`;

const COUNT_KNOWN = `
  update shard
     set known = sums.urls
    from (select shard, sum(urls) as urls from ready group by shard) sums
   where shard.crawl_id = $1
     and shard.shard = sums.shard`;
