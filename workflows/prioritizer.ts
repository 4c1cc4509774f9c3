import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { formatDuration } from '../domain/duration.ts';
import { roundPauseMs, type RoundFindings } from '../domain/rounds.ts';
import { admit, feedHosts, pullBatch } from './activities.ts';
import { crawlWorkflowId } from './ids.ts';
import { proceed, quiet, refresh, stop, wake } from './messages.ts';

/** Events after which a run hands over to the next. */
const EVENTS_A_RUN = 500;

/** What a prioritizer is given, and hands on when it continues as new: all of its state. */
export interface PrioritizerInput {
  readonly crawl: string;
  readonly crawlId: number;
  readonly shard: number;
  readonly lastBatchId?: number;
  readonly pauseMs?: number;
  readonly stopped?: boolean;
}

interface Rounds {
  readonly crawl: string;
  readonly crawlId: number;
  readonly shard: number;
  lastBatchId: number;
  pauseMs: number;
  stopped: boolean;
  refreshing: boolean;
  woken: boolean;
  interrupt: (() => void) | undefined;
}

/**
 * One shard's rounds: admit what pages left in the outbox, pull a biased batch, feed its hosts; then wait. Alone for
 * its shard, it is the frontier's one writer (Mercator's prioritizer and IIR's host splitter in one place).
 */
export async function prioritizer(input: PrioritizerInput): Promise<void> {
  const rounds = restore(input);
  listen(rounds);
  while (!rounds.stopped && !shouldContinueAsNew(rounds)) {
    rounds.woken = false;
    const findings = await round(rounds);
    rounds.pauseMs = roundPauseMs(findings, rounds.pauseMs);
    setCurrentDetails(
      `batch ${String(rounds.lastBatchId)}: ${String(findings.admitted)} URLs admitted, ${String(findings.fedHosts)} hosts fed`,
    );
    if (findings.quiet) await tellCrawl(rounds);
    await rest(rounds);
  }
  await condition(allHandlersFinished);
  if (rounds.stopped) return;
  const { crawl, crawlId, shard, lastBatchId, pauseMs } = rounds;
  await continueAsNew<typeof prioritizer>({ crawl, crawlId, shard, lastBatchId, pauseMs });
}

function restore(input: PrioritizerInput): Rounds {
  return {
    crawl: input.crawl,
    crawlId: input.crawlId,
    shard: input.shard,
    lastBatchId: input.lastBatchId ?? 0,
    pauseMs: input.pauseMs ?? 0,
    stopped: input.stopped ?? false,
    refreshing: false,
    woken: false,
    interrupt: undefined,
  };
}

function listen(rounds: Rounds): void {
  setHandler(wake, () => {
    rounds.woken = true;
    rounds.interrupt?.();
  });
  setHandler(stop, () => {
    rounds.stopped = true;
    rounds.interrupt?.();
  });
  setHandler(proceed, () => {
    rounds.stopped = false;
  });
  setHandler(refresh, () => {
    rounds.refreshing = true;
    rounds.interrupt?.();
  });
}

async function round(rounds: Rounds): Promise<RoundFindings> {
  const { crawlId, shard } = rounds;
  const admitted = await admit({ crawlId, shard });
  const fedHosts = rounds.stopped ? 0 : await pullAndFeed(rounds);
  return { ...admitted, fedHosts };
}

async function pullAndFeed(rounds: Rounds): Promise<number> {
  const { crawlId, shard } = rounds;
  const batchId = Math.max(rounds.lastBatchId + 1, Date.now());
  const pulled = await pullBatch({ crawlId, shard, batchId });
  if (pulled.kind === 'stale') {
    rounds.lastBatchId = pulled.latestBatchId;
    return 0;
  }
  rounds.lastBatchId = batchId;
  const { feeds, budget } = pulled;
  if (feeds.length > 0) {
    await feedHosts.executeWithOptions({ summary: `feed ${String(feeds.length)} hosts` }, [
      { batchId, feeds, budget },
    ]);
  }
  return feeds.length;
}

async function tellCrawl({ crawl }: Rounds): Promise<void> {
  try {
    await getExternalWorkflowHandle(crawlWorkflowId(crawl)).signal(quiet);
  } catch (error) {
    if (isCancellation(error)) throw error;
    // The crawl's workflow has ended or is not there yet: a later round tells it again.
  }
}

async function rest(rounds: Rounds): Promise<void> {
  if (rounds.woken || rounds.stopped || rounds.refreshing || rounds.pauseMs === 0) return;
  const scope = new CancellationScope();
  rounds.interrupt = () => {
    scope.cancel();
  };
  try {
    await scope.run(() =>
      sleep(rounds.pauseMs, { summary: `next round in ${formatDuration(rounds.pauseMs)}` }),
    );
  } catch (error) {
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
  } finally {
    rounds.interrupt = undefined;
  }
}

function shouldContinueAsNew(rounds: Rounds): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return rounds.refreshing || historyLength > EVENTS_A_RUN || continueAsNewSuggested;
}
