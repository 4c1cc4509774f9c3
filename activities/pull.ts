import { visitPagesOf } from '../db/crawls.ts';
import { livePaces } from '../db/hosts.ts';
import { pullBatch as pullFromDb, type Lottery } from '../db/pull.ts';
import { defaultWeights, drawBands } from '../domain/band.ts';
import { askedPagesPerSecond, visitBudget } from '../domain/visit-budget.ts';
import type { PullOrder, PullResult, VisitBudget } from './contract.ts';
import type { ActivityDeps } from './deps.ts';
import type { Db } from '../db/pool.ts';

/** Assigns a biased batch, and says how much the visits that serve it may do. */
export async function pull(
  { db, random }: ActivityDeps,
  { crawlId, shard, batchId }: PullOrder,
): Promise<PullResult> {
  const pulled = await pullFromDb(db, { crawlId, shard }, batchId, lotteryBy(random));
  if (pulled.kind === 'stale') return pulled;
  return { ...pulled, budget: await budgetNow(db, crawlId) };
}

/** Draws the hosts of a batch one by one, each from a band that has work. */
function lotteryBy(random: () => number): Lottery {
  return (bands, draws) => drawBands(defaultWeights(Math.max(...bands, 1)), bands, draws, random);
}

/** The visit's budget now: as the crawl fixes it, else as all live hosts together ask for. */
export async function budgetNow(db: Db, crawlId: number): Promise<VisitBudget> {
  const chosen = visitBudget(askedPagesPerSecond(await livePaces(db)));
  const fixed = await visitPagesOf(db, crawlId);
  return fixed === null ? chosen : { ...chosen, pages: fixed };
}
