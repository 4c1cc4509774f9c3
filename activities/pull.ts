import { bandWeightsOf, visitPagesOf } from '../db/crawls.ts';
import { livePaces } from '../db/hosts.ts';
import { pullBatch as pullFromDb, type Lottery } from '../db/pull.ts';
import { drawBands, type BandWeight } from '../domain/band.ts';
import { askedPagesPerSecond, visitBudget } from '../domain/visit-budget.ts';
import type { PullOrder, PullResult, VisitBudget } from './contract.ts';
import type { ActivityDeps } from './deps.ts';
import type { Db } from '../db/pool.ts';

/** Assigns a biased batch, and says how much the visits that serve it may do. */
export async function pull(
  deps: ActivityDeps,
  { crawlId, shard, batchId }: PullOrder,
): Promise<PullResult> {
  const { db } = deps;
  const pulled = await pullFromDb(db, { crawlId, shard }, batchId, await lotteryOf(deps, crawlId));
  if (pulled.kind === 'stale') return pulled;
  return { ...pulled, budget: await budgetNow(db, crawlId) };
}

/** The lottery by the crawl's weights of now: they may be changed while it runs. */
async function lotteryOf({ db, random }: ActivityDeps, crawlId: number): Promise<Lottery> {
  return lotteryBy(await bandWeightsOf(db, crawlId), random);
}

/** Draws the hosts of a batch one by one, each from a band that has work. */
export function lotteryBy(weights: readonly BandWeight[], random: () => number): Lottery {
  return (bands, draws) => drawBands(weights, bands, draws, random);
}

/** The visit's budget now: as the crawl fixes it, else as all live hosts together ask for. */
export async function budgetNow(db: Db, crawlId: number): Promise<VisitBudget> {
  const chosen = visitBudget(askedPagesPerSecond(await livePaces(db)));
  const fixed = await visitPagesOf(db, crawlId);
  return fixed === null ? chosen : { ...chosen, pages: fixed };
}
