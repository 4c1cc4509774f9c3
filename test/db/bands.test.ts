import { expect } from 'vitest';
import { lotteryBy } from '../../activities/pull.ts';
import { bandQueues } from '../../db/bands.ts';
import { bandWeightsOf, findCrawl, setWeights } from '../../db/crawls.ts';
import { pullBatch } from '../../db/pull.ts';
import { test } from '../support/database.ts';
import { seededRandom } from '../support/web-random.ts';
import { runningCrawl } from './a-frontier.ts';
import { queue } from './a-shard.ts';

test('each band tells what it has queued, and since when its first URL waits', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await queue(db, crawlId, ['http://a.test/1', 'http://a.test/2', 'http://b.test/1'], { band: 2 });
  await db.query(
    `update ready set due_at = clock_timestamp() - interval '1 hour'
      where host_id = (select host_id from host where host_key = 'b.test')`,
  );

  const [first, second, third] = await bandQueues(db, crawlId, 3);
  expect([first?.queued, second?.queued, third?.queued]).toEqual([0, 3, 0]);
  expect([first?.oldestMs, third?.oldestMs]).toEqual([null, null]);
  expect(second?.oldestMs).toBeGreaterThanOrEqual(3_600_000);
});

test('other weights are kept with the crawl, and its other settings stay', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const before = (await findCrawl(db, 'test'))?.settings;
  await setWeights(db, crawlId, [1, 1, 8]);

  expect((await findCrawl(db, 'test'))?.settings).toEqual({ ...before, weights: [1, 1, 8] });
  expect(await bandWeightsOf(db, crawlId)).toEqual([
    { band: 1, weight: 1 },
    { band: 2, weight: 1 },
    { band: 3, weight: 8 },
  ]);
});

test('with the top band always full, the lowest is served all the same', async ({ db }) => {
  const crawlId = await runningCrawl(db, { weights: [1, 0, 0], liveHostCap: 10_000, room: 1_000 });
  const urls = (host: string, n: number): string[] =>
    Array.from({ length: n }, (_, at) => `http://${host}-${at}.test/`);
  await queue(db, crawlId, urls('low', 3), { band: 3 });
  const lottery = lotteryBy(await bandWeightsOf(db, crawlId), seededRandom('bands'));
  let pulls = 0;
  // The chance that a pull of 100 draws passes a band of 0.2 % by is 0.82; 60 in a row do so once in 100,000.
  while (pulls < 60 && ((await bandQueues(db, crawlId, 3))[2]?.queued ?? 0) === 3) {
    await queue(db, crawlId, urls(`top-${pulls}`, 100));
    pulls += 1;
    await pullBatch(db, { crawlId, shard: 0 }, pulls, lottery);
  }

  expect((await bandQueues(db, crawlId, 3))[2]?.queued).toBeLessThan(3);
});
