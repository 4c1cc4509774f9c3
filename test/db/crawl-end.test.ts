import { describe, expect } from 'vitest';
import { outlookOf, requestsInFlight, requeueAssigned } from '../../db/crawl-end.ts';
import { markStopping } from '../../db/crawls.ts';
import { roundPauseMs } from '../../domain/rounds.ts';
import { test } from '../support/database.ts';
import {
  countOf,
  givenUrl,
  grantedClaim,
  leaveOutbox,
  oneHost,
  openHost,
  pagesOf,
  readyLines,
  runningCrawl,
  urlLines,
} from './a-frontier.ts';
import { admitAll, pullFeeds, queue } from './a-shard.ts';

describe('a crawl', () => {
  test('with nothing queued, assigned or to be admitted is finished', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    expect(await outlookOf(db, crawlId)).toEqual({ end: 'finished', busy: false });
  });

  test('has not ended while links wait to be admitted [DUR12]', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 1, waitForRetries: false });
    await db.query(`update crawl set pages_settled = 1`);
    await leaveOutbox(db, crawlId, {});
    expect(await outlookOf(db, crawlId)).toEqual({ end: null, busy: true });
  });

  test('has not ended while a URL is queued', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/']);
    expect(await outlookOf(db, crawlId)).toEqual({ end: null, busy: true });
  });

  test('has not ended while a URL is assigned, also for a retry [DUR12]', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const hostId = await openHost(db, 'a.test');
    await givenUrl(db, { crawlId, hostId }, 'http://a.test/', { dueInMs: 3_600_000 });
    expect(await outlookOf(db, crawlId)).toMatchObject({ end: null });
  });

  test('whose one host backs off has not ended, asks for fewer and fewer rounds, and goes on afterwards [FRO10]', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/']);
    await db.query(`update host set blocked_until = clock_timestamp() + interval '120 s'`);
    await leaveOutbox(db, crawlId, { hostId: 1 });
    await admitAll(db, crawlId);

    const { end, busy } = await outlookOf(db, crawlId);
    expect([end, busy]).toEqual([null, false]);
    expect(await pullFeeds(db, crawlId, 1)).toEqual([]);
    const idle = { rows: 0, admitted: 0, fedHosts: 0, quiet: false, busy };
    const pauses = [1, 2, 3, 4, 5, 6].reduce<number[]>(
      (before) => [...before, roundPauseMs(idle, before.at(-1) ?? 250)],
      [],
    );
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);

    await db.query(`update host set blocked_until = clock_timestamp() - interval '1 s'`);
    await db.query(`update ready set until_at = clock_timestamp() - interval '1 s'`);
    await admitAll(db, crawlId);
    expect(await pullFeeds(db, crawlId, 2)).toMatchObject([{ hostKey: 'a.test', count: 1 }]);
  });

  test('has ended once its pages are spent, whatever is queued', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 3 });
    await queue(db, crawlId, ['http://a.test/']);
    await db.query(`update crawl set pages_settled = 2`);
    expect(await outlookOf(db, crawlId)).toMatchObject({ end: null });
    await db.query(`update crawl set pages_settled = 3`);
    expect(await outlookOf(db, crawlId)).toMatchObject({ end: 'pages spent' });
  });

  test('that somebody stopped, or removed, has ended', async ({ db }) => {
    const { crawlId } = await oneHost(db);
    await markStopping(db, crawlId);
    expect(await outlookOf(db, crawlId)).toMatchObject({ end: 'stopped' });
    expect(await outlookOf(db, 4_711)).toEqual({ end: 'stopped', busy: false });
  });

  test('is not kept from its end by the URLs of another', async ({ db }) => {
    await oneHost(db);
    const other = await runningCrawl(db, {}, 'other');
    expect(await outlookOf(db, other)).toMatchObject({ end: 'finished' });
  });
});

describe('a crawl that does not wait for retries', () => {
  test.for([
    {
      law: 'has ended when only retries are left',
      change: `update url set due_at = now() + interval '1 hour'`,
      end: 'only retries left',
    },
    {
      law: 'has ended when the rest is on held hosts',
      change: `update host set hold_since = now()`,
      end: 'only retries left',
    },
    {
      law: 'goes on where a hold has passed',
      change: `update host set hold_since = now(), hold_until = now() - interval '1 s'`,
      end: null,
    },
    {
      law: 'has ended when the rest is on hosts that asked for rest',
      change: `update host set blocked_until = now() + interval '1 hour'`,
      end: 'only retries left',
    },
    {
      law: 'goes on where a rest has passed',
      change: `update host set blocked_until = now() - interval '1 s'`,
      end: null,
    },
    {
      law: 'has ended when only unreachable robots.txt are left',
      change: `update robots set access = 'unreachable', retry_at = now() + interval '1 hour', unreachable_since = now()`,
      end: 'only retries left',
    },
    {
      law: 'goes on where a robots.txt may be tried again',
      change: `update robots set access = 'unreachable', retry_at = now() - interval '1 s', unreachable_since = now()`,
      end: null,
    },
    { law: 'goes on where a robots.txt was never read', change: `delete from robots`, end: null },
    { law: 'goes on while a URL can be served', change: `select`, end: null },
  ] as const)('$law', async ({ change, end }, { db }) => {
    const { crawlId } = await oneHost(db, { waitForRetries: false });
    await db.query(change);
    expect(await outlookOf(db, crawlId)).toMatchObject({ end });
  });

  test('goes on while a host with due URLs can be pulled', async ({ db }) => {
    const crawlId = await runningCrawl(db, { waitForRetries: false });
    await queue(db, crawlId, ['http://a.test/']);
    expect(await outlookOf(db, crawlId)).toEqual({ end: null, busy: true });
    await db.query(`update ready set standing = 'blocked'`);
    expect(await outlookOf(db, crawlId)).toMatchObject({ end: 'only retries left' });
  });
});

test('a request is in flight from its claim to the end of its lease', async ({ db }) => {
  const { crawlId, hostId } = await oneHost(db);
  expect(await requestsInFlight(db, crawlId)).toBe(0);
  await grantedClaim(db, hostId);
  await db.query(`update host set lease_until = now() + interval '1 hour'`);
  expect(await requestsInFlight(db, crawlId)).toBe(1);
  await db.query(`update host set lease_until = now()`);
  expect(await requestsInFlight(db, crawlId)).toBe(0);
});

describe('assigned URLs that are given back', () => {
  test('stand in their front queues again, and hold no pages', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 50 });
    await queue(db, crawlId, ['http://a.test/1', 'http://a.test/2', 'http://b.test/']);
    await pullFeeds(db, crawlId, 1);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 3, settled: 0 });

    expect(await requeueAssigned(db, { crawlId, shard: 0 })).toBe(3);

    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: 0 });
    expect(
      (await urlLines(db)).every(({ state, reserved }) => state === 'queued' && !reserved),
    ).toBe(true);
    expect(await readyLines(db)).toMatchObject([
      { host: 'a.test', standing: 'idle' },
      { host: 'b.test', standing: 'idle' },
    ]);
    expect(await countOf(db, 'queued_count where urls = 3')).toBe(1);
    expect(await pullFeeds(db, crawlId, 2)).toHaveLength(2);
  });

  test('leave the reservation of a page whose outbox row is still to be counted', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 3 });
    await queue(db, crawlId, [
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/3',
      'http://a.test/4',
    ]);
    await pullFeeds(db, crawlId, 1);
    await db.query(
      `update url set state = 'done', reserved = false where request_url = 'http://a.test/1'`,
    );
    await db.query(
      `update url set state = 'done', reserved = false
        where key_hash = (select key_hash from url where state = 'assigned' limit 1)`,
    );
    const done = await countOf(db, `url where state = 'done'`);
    const stillReserved = await countOf(db, 'url where reserved');
    for (let at = stillReserved; at < 3; at += 1)
      await leaveOutbox(db, crawlId, { outcome: 'fetched', settled: 1, released: 1 });

    await requeueAssigned(db, { crawlId, shard: 0 });
    await pullFeeds(db, crawlId, 2);
    await admitAll(db, crawlId);

    expect(done).toBeGreaterThan(0);
    const { reserved, settled } = await pagesOf(db, crawlId);
    expect(reserved + settled).toBeLessThanOrEqual(3);
  });
});
