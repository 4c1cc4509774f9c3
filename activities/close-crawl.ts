import { setTimeout as pause } from 'node:timers/promises';
import { admit, ADMIT_ROWS } from '../db/admit.ts';
import { requeueAssigned, requestsInFlight } from '../db/crawl-end.ts';
import { endCrawl, markStopping, shardsOf } from '../db/crawls.ts';
import { doChore } from '../db/do-chore.ts';
import { parkForgotten, REFEED_HOSTS } from '../db/hosts.ts';
import type { Db } from '../db/pool.ts';
import type { Shard } from '../db/shards.ts';
import type { EndReason } from '../domain/crawl-state.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import type { ActivityDeps } from './deps.ts';

/** How often to look whether the requests in flight have ended, in milliseconds; our choice. */
const LOOK_MS = 200;

/**
 * Ends a crawl: nothing is pulled or claimed any more, the requests in flight end (each within its page time-out) and
 * are counted, its hosts make room for others', then its end is written. A spent budget gives what is assigned back to
 * the front queues; a stop leaves it assigned, and a resume feeds it again.
 */
export async function closeCrawl(
  { db, prioritizerFor }: ActivityDeps,
  { crawlId, reason }: { readonly crawlId: number; readonly reason: EndReason },
): Promise<void> {
  await markStopping(db, crawlId);
  while ((await requestsInFlight(db, crawlId)) > 0) await pause(LOOK_MS);
  while ((await parkForgotten(db, null)) === REFEED_HOSTS);
  for (const shard of await shardsOf(db, crawlId)) {
    await admitAll(db, { crawlId, shard }, prioritizerFor);
    // Nothing is queued any more that it could be done to.
    if (reason === 'finished') while (await doChore(db, { crawlId, shard }, { prioritizerFor }));
    if (reason === 'pages spent' || reason === 'time spent')
      await requeueAssigned(db, { crawlId, shard });
  }
  await endCrawl(db, crawlId, reason);
}

/** The prioritizer takes no more rounds: what the last pages left is taken in here, so that the counts are final. */
async function admitAll(db: Db, shard: Shard, prioritizerFor: PrioritizerFor): Promise<void> {
  while ((await admit(db, shard, { prioritizerFor })).rows === ADMIT_ROWS);
}
