import { expect } from 'vitest';
import { lotteryBy } from '../../activities/pull.ts';
import { bandWeightsOf } from '../../db/crawls.ts';
import { pullBatch } from '../../db/pull.ts';
import { test } from '../support/database.ts';
import { seededRandom } from '../support/web-random.ts';
import { runningCrawl } from './a-frontier.ts';
import { queue } from './a-shard.ts';

const DRAWS = 10_000;
const DRAWS_A_PULL = 20;

test('over 10,000 draws of pulls each band has its share within 2 % while all have work', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db, {
    bands: 4,
    weights: [5, 3, 2, 0],
    liveHostCap: 2 * DRAWS,
  });
  const weights = await bandWeightsOf(db, crawlId);
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  // One URL a host, so that a draw takes one; more of them than a band can be drawn for, so that each always has work.
  for (const { band, weight } of weights) {
    const hosts = Math.ceil(DRAWS * (weight / all + 0.03));
    const urls = Array.from({ length: hosts }, (_, at) => `http://h${at}.b${band}.test/`);
    await queue(db, crawlId, urls, { band });
  }
  const lottery = lotteryBy(weights, seededRandom('bias'));
  const pulled = new Map<string, number>();
  for (let batch = 1; batch <= DRAWS / DRAWS_A_PULL; batch += 1) {
    const result = await pullBatch(db, { crawlId, shard: 0 }, batch, (bands) =>
      lottery(bands, DRAWS_A_PULL),
    );
    const feeds = result.kind === 'pulled' ? result.feeds : [];
    expect(feeds).toHaveLength(DRAWS_A_PULL);
    for (const { hostKey } of feeds) {
      const band = hostKey.split('.')[1] ?? '';
      pulled.set(band, (pulled.get(band) ?? 0) + 1);
    }
  }

  for (const { band, weight } of weights) {
    const share = (pulled.get(`b${band}`) ?? 0) / DRAWS;
    expect(Math.abs(share - weight / all)).toBeLessThan(0.02);
  }
  expect(pulled.get('b4')).toBeGreaterThan(0);
}, 120_000);
