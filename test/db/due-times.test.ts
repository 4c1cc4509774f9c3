import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import type { Db } from '../../db/pool.ts';
import { test } from '../support/database.ts';
import { claimNow, givenUrl, openHost, runningCrawl, urlLines } from './a-frontier.ts';
import { pullFeeds, queue } from './a-shard.ts';

const HOUR_MS = 3_600_000;

test('a clock set back an hour keeps nothing waiting that was due, and shortens no wait [OPS04]', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  const hostId = await openHost(db, 'one.test');
  await queue(db, crawlId, ['http://two.test/']);
  await givenUrl(db, { crawlId, hostId }, 'http://one.test/due');
  await givenUrl(db, { crawlId, hostId }, 'http://one.test/retry', { dueInMs: HOUR_MS });
  await setBack(db, HOUR_MS);
  expect(await pullFeeds(db, crawlId, 1)).toEqual([]);
  expect((await claimNow(db, hostId)).kind).toBe('later');

  await admit(db, { crawlId, shard: 0 });

  expect(await pullFeeds(db, crawlId, 2)).toMatchObject([{ hostKey: 'two.test', count: 1 }]);
  expect((await claimNow(db, hostId)).kind).toBe('page');
  const retry = (await urlLines(db)).find(({ url }) => url.endsWith('/retry'));
  expect(retry?.dueInMs).toBeGreaterThan(HOUR_MS - 60_000);
  expect(retry?.dueInMs).toBeLessThan(HOUR_MS + 60_000);
});

test('a clock that goes on as it should moves nothing', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const hostId = await openHost(db, 'one.test');
  await givenUrl(db, { crawlId, hostId }, 'http://one.test/retry', { dueInMs: HOUR_MS });
  await db.query(`update shard set clock_at = now() - interval '1 day'`);

  await admit(db, { crawlId, shard: 0 });

  expect((await urlLines(db))[0]?.dueInMs).toBeGreaterThan(HOUR_MS - 60_000);
  const { rows } = await db.query(
    `select clock_at > now() - interval '1 minute' as kept from shard`,
  );
  expect(rows).toEqual([{ kept: true }]);
});

/** What the rows look like once the database's clock was set back: all of them lie ahead by as much. */
async function setBack(db: Db, ms: number): Promise<void> {
  const later = `+ ${ms} * interval '1 millisecond'`;
  await db.query(`update shard set clock_at = now() ${later}`);
  await db.query(`update url set due_at = due_at ${later}`);
  await db.query(`update ready set due_at = due_at ${later}`);
}
