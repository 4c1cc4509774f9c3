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
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { EndReason } from '../domain/crawl-state.ts';
import type { OpenedCrawl } from '../activities/contract.ts';
import { closeCrawl, endOfCrawl, openCrawl, refeed } from './activities.ts';
import { prioritizerWorkflowId } from './ids.ts';
import { quiet, refresh, stop, wake } from './messages.ts';
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
  const opened = await openCrawl({ name: input.name, begin: input.underWay !== true });
  try {
    if (input.underWay !== true) await begin(input.name, opened);
    const end = await untilEnd(input.name, opened, watch);
    if (end === null) {
      await condition(allHandlersFinished);
      return await continueAsNew<typeof crawl>({ name: input.name, underWay: true });
    }
    await finish(input.name, opened, end);
    return { ended: end };
  } catch (error) {
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() => finish(input.name, opened, 'stopped'));
    throw error;
  }
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

/** Feeds what an earlier run left assigned, and starts one prioritizer a shard; one that runs already goes on. */
async function begin(name: string, { crawlId, shards }: OpenedCrawl): Promise<void> {
  await refeed.executeWithOptions({ summary: 'feed again what was assigned' }, [
    { crawlId, atOnce: true },
  ]);
  for (let shard = 0; shard < shards; shard += 1) {
    try {
      await startChild(prioritizer, {
        workflowId: prioritizerWorkflowId(name, shard),
        args: [{ crawl: name, crawlId, shard }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `prioritizer of crawl ${name}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
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
    if (shouldContinueAsNew(watch)) return null;
    setCurrentDetails(timeLeftMs === null ? 'crawling' : `crawling until its time is spent`);
    const called = await untilCalled(watch, timeLeftMs);
    if (!called) return 'time spent';
    if (watch.quiet) {
      watch.quiet = false;
      const end = await endOfCrawl({ crawlId: opened.crawlId });
      if (end !== null) return end;
    }
    if (watch.woken) await refeed({ crawlId: opened.crawlId, atOnce: true });
    if (watch.woken || timeLeftMs !== null) {
      watch.woken = false;
      ({ timeLeftMs } = await openCrawl({ name, begin: false }));
    }
  }
}

async function untilCalled(watch: Watch, timeLeftMs: number | null): Promise<boolean> {
  const called = () => watch.quiet || watch.stopped || watch.woken || watch.refreshing;
  if (timeLeftMs !== null) return condition(called, timeLeftMs);
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
    try {
      await getExternalWorkflowHandle(prioritizerWorkflowId(name, shard)).signal(stop);
    } catch (error) {
      if (isCancellation(error)) throw error;
      // It has ended already.
    }
  }
  await closeCrawl({ crawlId, reason });
}

function shouldContinueAsNew(watch: Watch): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return watch.refreshing || historyLength > EVENTS_A_RUN || continueAsNewSuggested;
}
