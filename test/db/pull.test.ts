import { describe, expect } from 'vitest';
import { markStopping } from '../../db/crawls.ts';
import { markLive } from '../../db/hosts.ts';
import { PULL_URLS_A_HOST, pullBatch } from '../../db/pull.ts';
import { test } from '../support/database.ts';
import {
  countOf,
  everything,
  leaveOutbox,
  linkTo,
  pagesOf,
  readyLines,
  runningCrawl,
  urlLines,
} from './a-frontier.ts';
import { admitAll, EVERY_BAND, MOST_URGENT, pullFeeds, queue } from './a-shard.ts';

describe('a batch', () => {
  test('that is repeated gives the same feeds and assigns nothing new', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 15));

    const feeds = await pullFeeds(db, crawlId, 5);
    expect(feeds).toMatchObject([{ hostKey: 'a.test', count: PULL_URLS_A_HOST }]);
    const after = await everything(db);

    expect(await pullFeeds(db, crawlId, 5)).toEqual(feeds);
    expect(await everything(db)).toBe(after);
  });

  test('older than the latest is stale', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 1));
    await pullFeeds(db, crawlId, 5);
    const after = await everything(db);

    expect(await pullBatch(db, { crawlId, shard: 0 }, 4, MOST_URGENT)).toEqual({
      kind: 'stale',
      latestBatchId: 5,
    });
    expect(await everything(db)).toBe(after);
  });

  test('of a crawl that does not run is empty', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 1));
    await markStopping(db, crawlId);

    expect(await pullFeeds(db, crawlId, 1)).toEqual([]);
  });

  test('assigns nothing that is not yet due', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 2));
    await db.query(
      `update url set due_at = now() + interval '1 hour' where request_url like '%/1'`,
    );

    expect(await pullFeeds(db, crawlId, 1)).toMatchObject([{ count: 1 }]);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned' }, { state: 'queued' }]);
  });

  test('takes a band first in, first out, by due time', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 30));
    await db.query(
      `update url set due_at = now() - interval '1 hour' + substring(request_url from '[0-9]+$')::int * interval '1 s'`,
    );

    await pullFeeds(db, crawlId, 1);

    const assigned = (await urlLines(db))
      .filter(({ state }) => state === 'assigned')
      .map(({ url }) => url);
    expect(assigned.sort()).toEqual(urlsOf('a', PULL_URLS_A_HOST).sort());
  });

  test('takes the hosts whose first URL was due first', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    for (const host of ['c', 'a', 'b']) await queue(db, crawlId, urlsOf(host, 1));

    const feeds = await pullFeeds(
      db,
      crawlId,
      1,
      (bands) => new Map(bands.map((band) => [band, 2])),
    );

    expect(feeds.map(({ hostKey }) => hostKey).sort()).toEqual(['a.test', 'c.test']);
  });

  test('of several bands feeds a host once, with all that it was given', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/1', 'http://a.test/2'], { band: 1 });
    await queue(db, crawlId, ['http://a.test/3'], { band: 3 });

    expect(await pullFeeds(db, crawlId, 1, EVERY_BAND)).toMatchObject([
      { hostKey: 'a.test', count: 3 },
    ]);
    expect(await readyLines(db)).toEqual([]);
  });
});

describe('a host', () => {
  test('is given no more than its room', async ({ db }) => {
    const crawlId = await runningCrawl(db, { room: 4, lowWater: 3 });
    await queue(db, crawlId, urlsOf('a', 10));

    expect(await pullFeeds(db, crawlId, 1)).toMatchObject([{ count: 4 }]);
    expect(await pullFeeds(db, crawlId, 2)).toEqual([]);
    expect(await countOf(db, `url where state = 'assigned'`)).toBe(4);
  });

  test('is refilled once it has come down to its low water', async ({ db }) => {
    const crawlId = await runningCrawl(db, { room: 6, lowWater: 2 });
    await queue(db, crawlId, urlsOf('a', 20));
    const [feed] = await pullFeeds(db, crawlId, 1);
    await settleOne();
    await settleOne();
    await settleOne();
    expect(await readyLines(db)).toMatchObject([{ standing: 'full' }]);
    expect(await pullFeeds(db, crawlId, 2)).toEqual([]);

    await settleOne();
    expect(await pullFeeds(db, crawlId, 3)).toMatchObject([{ count: 4 }]);

    async function settleOne(): Promise<void> {
      await db.query(
        `update url set state = 'done'
          where (host_id, key_hash) = (select host_id, key_hash from url where state = 'assigned' limit 1)`,
      );
      await leaveOutbox(db, crawlId, { hostId: feed?.hostId ?? 0, outcome: 'fetched' });
      await admitAll(db, crawlId);
    }
  });

  test('that is held or asked for rest is given nothing', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, [...urlsOf('held', 1), ...urlsOf('rests', 1)]);
    await db.query(`update host set hold_since = now() where host_key = 'held.test'`);
    await db.query(
      `update host set blocked_until = now() + interval '1 hour' where host_key = 'rests.test'`,
    );
    const { rows } = await db.query<{ hostId: number }>(`select host_id as "hostId" from host`);
    for (const { hostId } of rows) await leaveOutbox(db, crawlId, { hostId });
    await admitAll(db, crawlId);

    expect(await pullFeeds(db, crawlId, 1)).toEqual([]);
  });

  test('that is idle waits while as many are live as may be; a live one is fed', async ({ db }) => {
    const crawlId = await runningCrawl(db, { liveHostCap: 2, lowWater: 5 });
    for (const host of ['a', 'b', 'c', 'd']) await queue(db, crawlId, urlsOf(host, 1));

    const feeds = await pullFeeds(db, crawlId, 1);
    expect(feeds).toHaveLength(2);
    await markLive(
      db,
      feeds.map(({ hostId }) => hostId),
    );
    expect(await pullFeeds(db, crawlId, 2)).toEqual([]);

    const live = feeds[0]?.hostKey ?? '';
    await leaveOutbox(db, crawlId, {
      hostId: feeds[0]?.hostId ?? 0,
      links: [linkTo(`http://${live}/more`)],
    });
    await admitAll(db, crawlId);
    expect(await pullFeeds(db, crawlId, 3)).toMatchObject([{ hostKey: live }]);
  });

  test('over the cap of another band stays idle too', async ({ db }) => {
    const crawlId = await runningCrawl(db, { liveHostCap: 1 });
    await queue(db, crawlId, urlsOf('a', 1), { band: 1 });
    await queue(db, crawlId, urlsOf('b', 1), { band: 2 });
    await queue(db, crawlId, urlsOf('c', 1), { band: 3 });

    expect(await pullFeeds(db, crawlId, 1, EVERY_BAND)).toMatchObject([{ hostKey: 'a.test' }]);
  });
});

describe('pages of a budget', () => {
  test('are reserved with the URLs, and no more than are left', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 7 });
    await queue(db, crawlId, [...urlsOf('a', 5), ...urlsOf('b', 5)]);
    await db.query(`update crawl set pages_settled = 3, pages_reserved = 1`);

    const feeds = await pullFeeds(db, crawlId, 1, EVERY_BAND);

    expect(feeds.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect(await countOf(db, `url where state = 'assigned' and reserved`)).toBe(3);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 4, settled: 3 });
    expect(await pullFeeds(db, crawlId, 2)).toEqual([]);
  });

  test('are shared by the bands of one batch', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 3 });
    await queue(db, crawlId, urlsOf('a', 2), { band: 1 });
    await queue(db, crawlId, urlsOf('b', 2), { band: 2 });

    await pullFeeds(db, crawlId, 1, EVERY_BAND);

    expect(await countOf(db, `url where state = 'assigned'`)).toBe(3);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 3, settled: 0 });
  });

  test('are not asked for where there is no budget', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, urlsOf('a', 3));
    await pullFeeds(db, crawlId, 1);

    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: 0 });
    expect(await countOf(db, 'url where reserved')).toBe(0);
  });
});

test('what is queued is counted by band, also where bands give nothing', async ({ db }) => {
  const crawlId = await runningCrawl(db, { room: 2 });
  await queue(db, crawlId, urlsOf('a', 5), { band: 1 });
  await queue(db, crawlId, urlsOf('a', 9).slice(5), { band: 2 });
  await pullFeeds(db, crawlId, 1, EVERY_BAND);

  const { rows } = await db.query(`select band, urls from queued_count order by band`);
  const { rows: counted } = await db.query(
    `select band, count(*) as urls from url where state = 'queued' group by band order by band`,
  );
  expect(rows).toEqual(counted);
});

function urlsOf(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `http://${host}.test/${at}`);
}
