import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { admit } from '../db/admit.ts';
import { claim } from '../db/claim.ts';
import { migrate } from '../db/migrate.ts';
import { connectDatabase, type Db } from '../db/pool.ts';
import { pullBatch, type Feed, type Lottery } from '../db/pull.ts';
import { settle } from '../db/settle.ts';
import { defaultWeights, drawBands } from '../domain/band.ts';
import { fetchedSettlement, GOOD, leaveOutbox } from '../test/db/a-frontier.ts';
import { startPostgres } from '../workers/embedded-postgres.ts';
import { fillFrontier, type BigFrontier } from './big-frontier.ts';
import { foundPages, type FoundPage } from './found-pages.ts';

/**
 * The frontier at ten million URLs on a million hosts beside one of a hundred thousand on a thousandth of them, in one
 * run, in turns: a pull, a settle, links through the seen test, bytes a URL.
 */
const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '10000000' },
    hosts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
    shards: { type: 'string', default: '2' },
    'link-pages': { type: 'string', default: '2000' },
  },
});

const URLS = Number(values.urls);
const HOSTS = Number(values.hosts);
const ROUNDS = Number(values.rounds);
const SHARDS = Number(values.shards);
const LINK_PAGES = Number(values['link-pages']);
const SMALL = { urls: 100_000, hosts: 10_000 };

/** Fewer hosts than a small frontier's that may be pulled, so that the cap holds others back in both. */
const CAP = 500;
const SETTLES_A_ROUND = 20;
const LINK_ROUNDS = 5;

const BARS = { ratio: 1.5, linksASecond: 40_000, bytesAUrl: 280 };

interface Bench {
  readonly name: string;
  readonly db: Db;
  readonly frontier: BigFrontier;
  readonly pullMs: number[];
  readonly cappedPullMs: number[];
  readonly settleMs: number[];
  readonly linksASecond: number[];
  pulled: number;
  batchId: number;
}

const lottery: Lottery = (bands, draws) => drawBands(defaultWeights(3), bands, draws, Math.random);

const dataDir = mkdtempSync(join(tmpdir(), 'decorum-bench-'));
const postgres = await startPostgres({ dataDir, logFile: join(dataDir, 'log') });
const benches: Bench[] = [];
try {
  benches.push(await opened('small', SMALL), await opened('big', { urls: URLS, hosts: HOSTS }));
  await inTurns(ROUNDS, (bench) => round(bench, bench.pullMs, endTurns));
  for (const { db, frontier } of benches) await setCap(db, frontier.crawlId, CAP);
  // As many pulls as it takes until the cap is reached are not counted.
  await inTurns((CAP / 100) * SHARDS * 2, (bench) => round(bench, [], passTurns));
  await inTurns(ROUNDS, (bench) => round(bench, bench.cappedPullMs, passTurns));
  await inTurns(LINK_ROUNDS, admitLinks);
  if (!(await report())) process.exitCode = 1;
} finally {
  for (const { db } of benches) await db.end();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function opened(
  name: string,
  size: { readonly urls: number; readonly hosts: number },
): Promise<Bench> {
  const url = new URL(postgres.databaseUrl);
  const admin = connectDatabase(url.href, { max: 1 });
  await admin.query(`create database ${name}`);
  await admin.end();
  url.pathname = `/${name}`;
  await migrate(url.href);
  const db = connectDatabase(url.href, { max: SHARDS + 1 });
  const frontier = await fillFrontier(db, { ...size, shards: SHARDS }, say);
  const measured = { pullMs: [], cappedPullMs: [], settleMs: [], linksASecond: [] };
  return { name, db, frontier, ...measured, pulled: 0, batchId: 0 };
}

async function inTurns(rounds: number, work: (bench: Bench, round: number) => Promise<void>) {
  for (let at = 0; at < rounds; at += 1) {
    for (const bench of benches) await work(bench, at);
  }
}

type AfterRound = (bench: Bench, hostIds: readonly number[]) => Promise<void>;

/** One pull, and what a crawl would do until the next: fed hosts go live, some pages are settled, the writer counts. */
async function round(bench: Bench, pullMs: number[], afterwards: AfterRound): Promise<void> {
  const { db, frontier } = bench;
  bench.batchId += 1;
  const shard = { crawlId: frontier.crawlId, shard: bench.batchId % SHARDS };
  const startedMs = performance.now();
  const pulled = await pullBatch(db, shard, bench.batchId, lottery);
  pullMs.push(performance.now() - startedMs);
  if (pulled.kind === 'stale') throw new Error('A pull was stale');
  const urls = pulled.feeds.reduce((total, { count }) => total + count, 0);
  if (urls === 0) throw new Error(`Nothing was pulled of ${bench.name}`);
  bench.pulled += urls;
  await serve(bench, pulled.feeds);
  await afterwards(
    bench,
    pulled.feeds.map(({ hostId }) => hostId),
  );
  await admitAll(bench);
}

async function serve(bench: Bench, feeds: readonly Feed[]): Promise<void> {
  const { db, frontier } = bench;
  const hostIds = feeds.map(({ hostId }) => hostId);
  await db.query(`update host set state = 'live' where host_id = any ($1::bigint[])`, [hostIds]);
  for (const hostId of hostIds.slice(0, SETTLES_A_ROUND)) {
    const claimed = await claim(db, hostId, randomUUID());
    if (claimed.kind !== 'page') throw new Error(`Host ${String(hostId)}: ${claimed.kind}`);
    const settlement = fetchedSettlement(claimed, { host: { ...GOOD, owedMs: 0 } });
    const startedMs = performance.now();
    await settle(db, claimed.lease, settlement);
    bench.settleMs.push(performance.now() - startedMs);
  }
  const { rows } = await db.query<{ hostId: number; pages: number }>(
    `with done as (
       update url
          set state = 'done'
        where host_id = any ($1::bigint[])
          and crawl_id = $2
          and state = 'assigned'
       returning host_id
     ), counted as (
       select host_id, count(*) as pages from done group by host_id
     )
     update host_crawl
        set pages = host_crawl.pages + counted.pages
       from counted
      where host_crawl.host_id = counted.host_id
        and host_crawl.crawl_id = $2
     returning host_crawl.host_id as "hostId", counted.pages`,
    [hostIds, frontier.crawlId],
  );
  if (rows.length === 0) throw new Error('Nothing was assigned');
}

/** Every host that was fed has come to its end. */
async function endTurns(bench: Bench, hostIds: readonly number[]): Promise<void> {
  await bench.db.query(`update host set state = 'idle' where host_id = any ($1::bigint[])`, [
    hostIds,
  ]);
  await name(bench, hostIds);
}

/** Hosts stay live until their turn is over or their queue is empty. */
async function passTurns(bench: Bench, hostIds: readonly number[]): Promise<void> {
  const { db, frontier } = bench;
  await db.query(
    `update host
        set state = 'idle'
       from host_crawl hc, crawl c
      where hc.host_id = host.host_id
        and hc.crawl_id = $2
        and c.crawl_id = $2
        and (hc.pages - hc.session_from >= (c.settings ->> 'sessionPages')::bigint
             or not exists (select from ready r where r.crawl_id = $2 and r.host_id = host.host_id))
        and host.host_id = any ($1::bigint[])`,
    [hostIds, frontier.crawlId],
  );
  await name(bench, hostIds);
}

/** Leaves an outbox row for each host, in its shard. */
async function name({ db, frontier }: Bench, hostIds: readonly number[]): Promise<void> {
  await db.query(
    `insert into outbox (crawl_id, shard, host_id, outcome)
     select crawl_id, shard, host_id, 'fetched'
       from host_crawl
      where crawl_id = $1
        and host_id = any ($2::bigint[])`,
    [frontier.crawlId, hostIds],
  );
}

async function setCap(db: Db, crawlId: number, cap: number): Promise<void> {
  await db.query(
    `update crawl
        set settings = settings || jsonb_build_object('liveHostCap', $2::int)
      where crawl_id = $1`,
    [crawlId, cap],
  );
}

/** One writer a shard, side by side; gives how many URLs entered. */
async function admitAll({ db, frontier: { crawlId } }: Bench): Promise<number> {
  const writers = Array.from({ length: SHARDS }, async (_, shard) => {
    let admitted = 0;
    for (;;) {
      const done = await admit(db, { crawlId, shard });
      if (done.rows === 0) return admitted;
      admitted += done.admitted;
    }
  });
  return (await Promise.all(writers)).reduce((total, admitted) => total + admitted, 0);
}

/** Links of many pages, four of five seen before, through the seen test into the frontier. */
async function admitLinks(bench: Bench, at: number): Promise<void> {
  const pages = foundPages(bench.frontier, LINK_PAGES, at);
  for (const page of pages) await leavePage(bench, page);
  const links = pages.reduce((total, page) => total + page.links, 0);
  const fresh = pages.reduce((total, page) => total + page.fresh, 0);
  const startedMs = performance.now();
  const admitted = await admitAll(bench);
  bench.linksASecond.push((links * 1_000) / (performance.now() - startedMs));
  if (admitted !== fresh) {
    throw new Error(`${String(admitted)} URLs entered, where ${String(fresh)} were new`);
  }
}

async function leavePage({ db, frontier }: Bench, page: FoundPage): Promise<void> {
  for (const [shard, links] of page.byShard) {
    await leaveOutbox(db, frontier.crawlId, { shard, foundOn: page.url, links });
  }
}

interface Bytes {
  readonly urls: number;
  readonly urlBytes: number;
  readonly letters: number;
}

async function bytesOf(db: Db): Promise<Bytes> {
  const { rows } = await db.query<Bytes>(
    `select (select count(*) from url) as urls,
            (select avg(length(request_url)) from url)::float8 as letters,
            (select sum(pg_total_relation_size(relid))
               from pg_partition_tree('url')
              where isleaf)::bigint as "urlBytes"`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('No sizes');
  return row;
}

async function report(): Promise<boolean> {
  for (const bench of benches) {
    const { urls, urlBytes, letters } = await bytesOf(bench.db);
    console.log(
      `\n${bench.name}: ${urls.toLocaleString('en-US')} URLs of ${letters.toFixed(0)} characters, ` +
        `${(bench.pulled / (bench.batchId || 1)).toFixed(0)} URLs a pull, ${(urlBytes / urls).toFixed(0)} bytes a URL`,
    );
    line('pull', bench.pullMs);
    line('pull, cap reached', bench.cappedPullMs);
    line('settle', bench.settleMs);
    console.log(
      `  links a second     ${bench.linksASecond.map((rate) => rate.toFixed(0)).join(' ')}`,
    );
  }
  const [small, big] = benches;
  if (small === undefined || big === undefined) throw new Error('Two are needed');
  const ratios = {
    pull: at(0.5, big.pullMs) / at(0.5, small.pullMs),
    'pull, cap reached': at(0.5, big.cappedPullMs) / at(0.5, small.cappedPullMs),
    settle: at(0.5, big.settleMs) / at(0.5, small.settleMs),
  };
  const { urls, urlBytes } = await bytesOf(big.db);
  const links = at(0.5, big.linksASecond);
  console.log('');
  const kept = Object.entries(ratios).map(([what, ratio]) =>
    bar(`${what}: big over small`, ratio.toFixed(2), ratio <= BARS.ratio, `≤ ${BARS.ratio}`),
  );
  kept.push(
    bar('links a second', links.toFixed(0), links >= BARS.linksASecond, `≥ ${BARS.linksASecond}`),
    bar(
      'bytes a URL',
      (urlBytes / urls).toFixed(0),
      urlBytes / urls <= BARS.bytesAUrl,
      `≤ ${BARS.bytesAUrl}`,
    ),
  );
  return !kept.includes(false);
}

function line(what: string, ms: readonly number[]): void {
  console.log(
    `  ${what.padEnd(18)} p50 ${at(0.5, ms).toFixed(1)} ms   p99 ${at(0.99, ms).toFixed(1)} ms`,
  );
}

function bar(what: string, figure: string, isKept: boolean, wanted: string): boolean {
  console.log(`${isKept ? 'kept  ' : 'missed'} ${what}: ${figure} (${wanted})`);
  return isKept;
}

function at(share: number, numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.NaN;
}

function say(text: string): void {
  console.error(text);
}
