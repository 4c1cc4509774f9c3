import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { outlookOf } from '../../db/crawl-end.ts';
import { markLive, parkHost } from '../../db/hosts.ts';
import { connectDatabase, type Db } from '../../db/pool.ts';
import { pullBatch, type Feed } from '../../db/pull.ts';
import { settle, type FoundLink, type Settlement } from '../../db/settle.ts';
import type { Shard } from '../../db/shards.ts';
import { shardOf } from '../../domain/shard-of.ts';
import { test } from '../support/database.ts';
import {
  claimNow,
  countOf,
  fetchedSettlement,
  GOOD,
  leaveOutbox,
  linkTo,
  pagesOf,
  runningCrawl,
} from './a-frontier.ts';
import { EVERY_BAND } from './a-shard.ts';

const HOSTS = 15;
const PAGES = 12;
const FREE = { ...GOOD, owedMs: 0, gapMs: 0 };

/**
 * Everybody at once, as a worker does it but without the network: the one writer's rounds, and two visits of each host
 * that shut each other out by the lease alone. Each page links to two others of its host and one of the next.
 */
async function crawlAll(databaseUrl: string, crawlId: number, shards = 1): Promise<string> {
  const db = connectDatabase(databaseUrl, { max: 10 });
  const over = { end: '' };
  const visits: Promise<void>[] = [];
  const visited = new Set<number>();
  try {
    for (let batchId = 1; over.end === ''; batchId += 1) {
      const rounds = Array.from({ length: shards }, (_, shard) =>
        roundOf(db, { crawlId, shard }, batchId),
      );
      const feeds = (await Promise.all(rounds)).flat();
      await markLive(
        db,
        feeds.map(({ hostId }) => hostId),
      );
      for (const { hostId } of feeds) {
        if (visited.has(hostId)) continue;
        visited.add(hostId);
        visits.push(visitHost(db, hostId, over, shards), visitHost(db, hostId, over, shards));
      }
      over.end = (await outlookOf(db, crawlId)).end ?? '';
      await pause(2);
    }
    await Promise.all(visits);
    return over.end;
  } finally {
    over.end ||= 'failed';
    await Promise.allSettled(visits);
    await db.end();
  }
}

/** Two admits of a shard and its pull. */
async function roundOf(db: Db, shard: Shard, batchId: number): Promise<readonly Feed[]> {
  await Promise.all([admit(db, shard), admit(db, shard)]);
  const pulled = await pullBatch(db, shard, batchId, EVERY_BAND);
  if (pulled.kind === 'stale') throw new Error(`Batch ${batchId} is stale`);
  return pulled.feeds;
}

async function visitHost(
  db: Db,
  hostId: number,
  over: { readonly end: string },
  shards: number,
): Promise<void> {
  while (over.end === '') {
    const claimed = await claimNow(db, hostId);
    if (claimed.kind !== 'page' && claimed.kind !== 'robots') {
      if (claimed.kind === 'empty') await parkHost(db, hostId, 'idle');
      await pause(5);
      continue;
    }
    if (claimed.kind === 'robots') throw new Error('Every robots.txt is known');
    const settlement = fetchedSettlement(claimed, { host: FREE });
    const settled = await settle(db, claimed.lease, {
      ...settlement,
      outbox: outboxOf(settlement, linksOf(claimed.url.requestUrl), shards),
    });
    if (!settled) throw new Error('Nobody can take this lease');
  }
}

/** The links by the shards of their hosts. */
function outboxOf(
  { outbox }: Settlement,
  links: readonly FoundLink[],
  shards: number,
): Settlement['outbox'] {
  if (outbox === null) throw new Error('A fetched page leaves an outbox row');
  const elsewhere = Array.from({ length: shards }, (_, shard) => ({
    shard,
    links: links.filter(({ host }) => shardOf(host, shards) === shard),
  }));
  return { ...outbox, links: [], elsewhere };
}

function linksOf(url: string): ReturnType<typeof linkTo>[] {
  const [, host = '0', page = '0'] = /h(\d+)\.test\/(\d+)/u.exec(url) ?? [];
  const [at, number] = [Number(host), Number(page)];
  return [
    linkTo(`http://h${(at + 1) % HOSTS}.test/0`, { band: 2 }),
    linkTo(`http://h${at}.test/${(number + 1) % PAGES}`, { band: 1 }),
    linkTo(`http://h${at}.test/${(number * 5) % PAGES}`, { band: 3 }),
  ];
}

/** A running crawl with one seed and every robots.txt read. */
async function seeded(db: Db, pageBudget: number | null, shards = 1): Promise<number> {
  const crawlId = await runningCrawl(db, {
    pageBudget,
    shards,
    room: 4,
    lowWater: 1,
    minGapMs: 0,
    gapFactor: 0,
  });
  await db.query(
    `insert into host (host_key) select 'h' || n || '.test' from generate_series(0, $1) n`,
    [HOSTS - 1],
  );
  await db.query(
    `insert into robots (host_id, origin, access, version, status, fetched_at, expires_at)
     select host_id, 'http://' || host_key, 'allowAll', 1, 404, now(), now() + interval '1 day' from host`,
  );
  const links = [linkTo('http://h0.test/0')];
  await leaveOutbox(db, crawlId, { shard: shardOf('h0.test', shards), links });
  return crawlId;
}

async function expectEachOnce(db: Db, databaseUrl: string, shards: number): Promise<void> {
  const crawlId = await seeded(db, null, shards);

  expect(await crawlAll(databaseUrl, crawlId, shards)).toBe('finished');

  expect(await countOf(db, `url where state = 'done'`)).toBe(HOSTS * PAGES);
  expect(await countOf(db, 'url')).toBe(HOSTS * PAGES);
  expect(await countOf(db, 'fetch_record')).toBe(HOSTS * PAGES);
  expect(await countOf(db, '(select distinct host_id, key_hash from fetch_record) f')).toBe(
    HOSTS * PAGES,
  );
  expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: HOSTS * PAGES });
  expect(await countOf(db, 'outcome_count where fetches = $1', [HOSTS * PAGES])).toBe(1);
  expect(await countOf(db, 'queued_count where urls <> 0')).toBe(0);
  expect(await countOf(db, 'ready')).toBe(0);
}

test('every URL is fetched exactly once, whoever works at once, and no wake-up is lost', ({
  db,
  databaseUrl,
}) => expectEachOnce(db, databaseUrl, 1));

test('several shards, their visits and their admits at once lose and repeat nothing', ({
  db,
  databaseUrl,
}) => expectEachOnce(db, databaseUrl, 3));

test('a page budget is exact, whoever works at once', async ({ db, databaseUrl }) => {
  const crawlId = await seeded(db, 50);

  expect(await crawlAll(databaseUrl, crawlId)).toBe('pages spent');

  expect(await countOf(db, 'fetch_record')).toBe(50);
  expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: 50 });
});
