import { admit, ADMIT_ROWS } from '../../db/admit.ts';
import type { Db } from '../../db/pool.ts';
import { pullBatch, type Feed, type Lottery } from '../../db/pull.ts';
import { leaveOutbox, linkTo } from './a-frontier.ts';

/** All draws to the most urgent band that has work. */
export const MOST_URGENT: Lottery = (bands, draws) => {
  const [band] = bands;
  return new Map(band === undefined ? [] : [[band, draws]]);
};

/** As many draws for every band that has work. */
export const EVERY_BAND: Lottery = (bands, draws) =>
  new Map(bands.map((band) => [band, Math.ceil(draws / bands.length)]));

/** Admits until the outbox is empty; gives the number of URLs that entered. */
export async function admitAll(db: Db, crawlId: number): Promise<number> {
  let entered = 0;
  for (;;) {
    const { rows, admitted } = await admit(db, { crawlId, shard: 0 });
    entered += admitted;
    if (rows < ADMIT_ROWS) return entered;
  }
}

/** Puts URLs into the front queues. */
export async function queue(
  db: Db,
  crawlId: number,
  urls: readonly string[],
  { band = 1 } = {},
): Promise<void> {
  await leaveOutbox(db, crawlId, { links: urls.map((url) => linkTo(url, { band })) });
  await admitAll(db, crawlId);
}

/** Pulls a batch and gives its feeds. */
export async function pullFeeds(
  db: Db,
  crawlId: number,
  batchId: number,
  lottery = MOST_URGENT,
): Promise<readonly Feed[]> {
  const pulled = await pullBatch(db, { crawlId, shard: 0 }, batchId, lottery);
  if (pulled.kind === 'stale') throw new Error(`Batch ${batchId} is stale`);
  return pulled.feeds;
}
