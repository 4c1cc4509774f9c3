import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError, type SignalDefinition } from '@temporalio/common';
import type { EndReason } from '../domain/crawl-state.ts';
import type { OpenedCrawl } from '../activities/contract.ts';
import { closeCrawl, endOfCrawl, openCrawl, refeed } from './activities.ts';
import { prioritizerWorkflowId } from './ids.ts';
import { proceed, quiet, refresh, stop, wake } from './messages.ts';
import { prioritizer } from './prioritizer.ts';

/** Events after which a run hands over to the next. */
const EVENTS_A_RUN = 500;

/** What a crawl's workflow is given; `underWay` where an earlier run has begun it. */
export interface CrawlInput {
  readonly name: string;
  readonly underWay?: boolean;
}

interface Watch {
  quiet: boolean;
  stopped: boolean;
  woken: boolean;
  refreshing: boolean;
}

/** One crawl, from its seeds to its end: starts the prioritizers, waits for the end, then lets the pages in flight finish. */
export async function crawl(input: CrawlInput): Promise<{ readonly ended: EndReason }> {
  const watch: Watch = { quiet: false, stopped: false, woken: false, refreshing: false };
  listen(watch);
  try {
    const opened = await openCrawl({ name: input.name, begin: input.underWay !== true });
    if (input.underWay !== true) await begin(input.name, opened);
    const end = await untilEnd(input.name, opened, watch);
    if (end !== null) {
      await finish(input.name, opened, end);
      return { ended: end };
    }
    await condition(allHandlersFinished);
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => giveUp(input.name));
    throw error;
  }
  return continueAsNew<typeof crawl>({ name: input.name, underWay: true });
}

/** After a cancel: the crawl is left as after a stop, so that it can be resumed. */
async function giveUp(name: string): Promise<void> {
  await finish(name, await openCrawl({ name, begin: false }), 'stopped');
}

function listen(watch: Watch): void {
  setHandler(quiet, () => {
    watch.quiet = true;
  });
  setHandler(stop, () => {
    watch.stopped = true;
  });
  setHandler(wake, () => {
    watch.woken = true;
  });
  setHandler(refresh, () => {
    watch.refreshing = true;
  });
}

/** Feeds what an earlier run left assigned, and starts one prioritizer a shard. */
async function begin(name: string, { crawlId, shards }: OpenedCrawl): Promise<void> {
  await refeed.executeWithOptions({ summary: 'feed again what was assigned' }, [
    { crawlId, atOnce: true },
  ]);
  for (let shard = 0; shard < shards; shard += 1) {
    let runs = false;
    while (!runs) {
      runs = (await hasStarted(name, crawlId, shard)) || (await hasSignalled(name, shard, proceed));
    }
  }
}

/** `false` where one runs already: it is to go on, though an earlier end of the crawl may have stopped it. */
async function hasStarted(name: string, crawlId: number, shard: number): Promise<boolean> {
  try {
    await startChild(prioritizer, {
      workflowId: prioritizerWorkflowId(name, shard),
      args: [{ crawl: name, crawlId, shard }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `prioritizer of crawl ${name}`,
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** `false` where the shard's prioritizer has ended. */
async function hasSignalled(
  name: string,
  shard: number,
  signal: SignalDefinition,
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(prioritizerWorkflowId(name, shard)).signal(signal);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

/** Waits for the crawl's end; `null` where a new run should go on waiting. */
async function untilEnd(
  name: string,
  opened: OpenedCrawl,
  watch: Watch,
): Promise<EndReason | null> {
  let { timeLeftMs } = opened;
  for (;;) {
    if (watch.stopped) return 'stopped';
    if (timeLeftMs !== null && timeLeftMs <= 0) return 'time spent';
    if (shouldContinueAsNew(watch) && !watch.woken) return null;
    setCurrentDetails(timeLeftMs === null ? 'crawling' : `crawling until its time is spent`);
    const called = await untilCalled(watch, timeLeftMs);
    if (!called) return 'time spent';
    if (watch.quiet) {
      watch.quiet = false;
      const end = await endOfCrawl({ crawlId: opened.crawlId });
      if (end !== null) return end;
    }
    const { woken } = watch;
    watch.woken = false;
    if (woken) await refeed({ crawlId: opened.crawlId, atOnce: true });
    if (woken || timeLeftMs !== null) {
      ({ timeLeftMs } = await openCrawl({ name, begin: false }));
    }
  }
}

async function untilCalled(watch: Watch, timeLeftMs: number | null): Promise<boolean> {
  const called = () => watch.quiet || watch.stopped || watch.woken || watch.refreshing;
  if (timeLeftMs !== null) return condition(called, timeLeftMs, { summary: 'time budget' });
  await condition(called);
  return true;
}

async function finish(
  name: string,
  { crawlId, shards }: OpenedCrawl,
  reason: EndReason,
): Promise<void> {
  setCurrentDetails(`ending: ${reason}`);
  for (let shard = 0; shard < shards; shard += 1) {
    await hasSignalled(name, shard, stop);
  }
  await closeCrawl({ crawlId, reason });
}

function shouldContinueAsNew(watch: Watch): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return watch.refreshing || historyLength > EVENTS_A_RUN || continueAsNewSuggested;
}
