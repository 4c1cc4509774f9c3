import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Hold, HoldOrder, VisitResult } from '../activities/contract.ts';
import type { HostState } from '../domain/crawl-state.ts';
import { formatDuration } from '../domain/duration.ts';
import { parkHost, visit, writeHold } from './activities.ts';
import {
  carry,
  details,
  note,
  pauseOrderOf,
  restore,
  resumeOrderOf,
  stateAfter,
  summaryOf,
  view,
  type BackQueue,
  type HostInput,
} from './back-queue.ts';
import { CrawlHost, CrawlState, drain, feed, inspect, pause, refresh, resume } from './messages.ts';

/** How long a workflow whose back queue has just run empty counts on more at once, in milliseconds; our choice. */
const LINGER_MS = 5_000;

/** How long it then waits as an idle one, before it ends; our choice. */
const IDLE_MS = 55_000;

/** Between two looks at a hold whose time is over by Temporal's clock but not yet by Postgres's, in milliseconds. */
const LEAST_HOLD_MS = 1_000;

/** Events after which a run hands over to the next: a crash replays them for every live host. */
const EVENTS_A_RUN = 500;

/**
 * Serves one host's back queue: visit, keep the gap, visit again.
 *
 * Its workflow id is `host:<key>`. Temporal runs one workflow per id, so the id itself does what Mercator's
 * host→queue table does: never two open connections to a host.
 *
 * @returns the number of requests that it sent.
 */
export async function host(input: HostInput): Promise<{ readonly requests: number }> {
  const back = restore(input, new Date().toISOString());
  listen(back);
  try {
    while (!shouldContinueAsNew(back)) {
      // An order that came before a visit is written before it.
      await ordersWritten();
      if (isHeld(back)) {
        await untilLifted(back);
        continue;
      }
      await leaveAlone(back);
      if (isHeld(back) || back.refreshing) continue;
      const { next } = await visitOnce(back);
      if (next.kind === 'empty' && (await hasEnded(back))) return { requests: back.requests };
    }
    await ordersWritten();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => leave(back));
    throw error;
  }
  return continueAsNew<typeof host>(carry(back));
}

function listen(back: BackQueue): void {
  setHandler(feed, (order) => {
    back.budget = order?.budget ?? back.budget;
    back.fed = true;
    if (back.state !== 'live' || back.waitMs === 0) back.interrupt?.();
  });
  setHandler(pause, (order) => obey(back, pauseOrderOf(back.hostKey, order)));
  setHandler(resume, (order) => obey(back, resumeOrderOf(back.hostKey, order)));
  setHandler(drain, () => {
    back.draining = true;
    if (back.state === 'idle' || back.waitMs === 0) back.interrupt?.();
  });
  setHandler(refresh, () => {
    back.refreshing = true;
    back.interrupt?.();
  });
  setHandler(inspect, () => view(back));
}

/** Writes an order to the host's row, one after the other; the row says what then stands. */
async function obey(back: BackQueue, order: HoldOrder): Promise<void> {
  const turn = back.orders.then(async () => {
    // An order counts even where the workflow is cancelled meanwhile.
    const write = (): Promise<Hold | null> =>
      writeHold.executeWithOptions({ summary: summaryOf(order) }, [order]);
    back.hold = await CancellationScope.nonCancellable(write);
    back.ordersObeyed += 1;
    back.interrupt?.();
  });
  back.orders = turn.catch(() => undefined);
  await turn;
}

async function visitOnce(back: BackQueue): Promise<VisitResult> {
  const { hostId, hostKey, budget, ordersObeyed } = back;
  back.fed = false;
  enter(back, 'live');
  const result = await visit.executeWithOptions({ summary: `visit ${hostKey}` }, [
    { hostId, hostKey, budget },
  ]);
  await ordersWritten();
  note(back, result, ordersObeyed);
  if (result.next.kind !== 'empty') enter(back, stateAfter(result));
  return result;
}

/** A condition costs the sandbox a dozen promises, so it is made only where there is something to wait for. */
async function ordersWritten(): Promise<void> {
  if (!allHandlersFinished()) await condition(allHandlersFinished);
}

/** The gap, a backoff, a rest: a durable timer, which a pause or (while resting) a feed ends early. */
async function leaveAlone(back: BackQueue): Promise<void> {
  if (back.waitMs <= 0 || (back.fed && back.state !== 'live')) return;
  await interruptibleSleep(
    back,
    back.waitMs,
    `${back.state === 'live' ? 'gap' : back.state} ${formatDuration(back.waitMs)}`,
  );
  back.waitMs = 0;
}

/** Until another order comes, the hold's time is over, or a feed makes it worth asking whether the hold stands. */
async function untilLifted(back: BackQueue): Promise<void> {
  // The gap runs on in a hold: afterwards a claim says what is left of it.
  back.waitMs = 0;
  enter(back, 'held');
  const { hold } = back;
  if (hold === null) return;
  if (hold.until === null) {
    await condition(() => back.hold !== hold || back.fed || shouldContinueAsNew(back));
  } else {
    const leftMs = Math.max(Date.parse(hold.until) - Date.now(), LEAST_HOLD_MS);
    if (!back.fed) await interruptibleSleep(back, leftMs, `held until ${hold.until}`);
  }
  // Only a claim knows: where the hold stands after all, the visit sends nothing and says so.
  const isOver = hold.until !== null && Date.parse(hold.until) <= Date.now();
  if (back.hold === hold && (back.fed || isOver)) back.hold = null;
}

/**
 * Waits a while for a feed; true where none came and no order is being written. Its own pages often bring the next URLs
 * within moments, so the host is called idle only after those.
 */
async function hasEnded(back: BackQueue): Promise<boolean> {
  if (mustGoOn(back)) return false;
  if (!back.draining)
    await interruptibleSleep(back, LINGER_MS, 'waiting for the URLs of its last pages');
  await ordersWritten();
  if (mustGoOn(back)) return false;
  enter(back, 'idle');
  if (!back.draining) await interruptibleSleep(back, IDLE_MS, 'waiting for URLs');
  await ordersWritten();
  return !mustGoOn(back);
}

function mustGoOn(back: BackQueue): boolean {
  return back.fed || isHeld(back) || back.refreshing;
}

async function interruptibleSleep(back: BackQueue, ms: number, summary: string): Promise<void> {
  const scope = new CancellationScope();
  back.interrupt = () => {
    scope.cancel();
  };
  try {
    await scope.run(() => sleep(ms, { summary }));
  } catch (error) {
    // A cancel of the workflow itself must leave the loop; only the wait's own end is ours to swallow.
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
  } finally {
    back.interrupt = undefined;
  }
}

/** Tells the world what the host is doing now, on transitions only. */
function enter(back: BackQueue, state: HostState): void {
  if (back.state !== state) {
    back.state = state;
    back.since = new Date().toISOString();
    upsertSearchAttributes([
      { key: CrawlHost, value: back.hostKey },
      { key: CrawlState, value: state },
    ]);
  }
  setCurrentDetails(details(back));
}

/** After a cancel: orders that came are still written, and the host's place goes to another. */
async function leave(back: BackQueue): Promise<void> {
  await ordersWritten();
  await parkHost.executeWithOptions({ summary: 'no longer served' }, [{ hostId: back.hostId }]);
}

function isHeld({ hold }: BackQueue): boolean {
  return hold !== null;
}

function shouldContinueAsNew(back: BackQueue): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return back.refreshing || historyLength > EVENTS_A_RUN || continueAsNewSuggested;
}
