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
import type { HoldOrder } from '../activities/contract.ts';
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
  view,
  type BackQueue,
  type HostInput,
} from './back-queue.ts';
import { CrawlHost, CrawlState, drain, feed, inspect, pause, refresh, resume } from './messages.ts';

/** How long a workflow with an empty back queue waits for more, in milliseconds; our choice. */
const IDLE_MS = 60_000;

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
      if (back.hold !== null) {
        await untilLifted(back);
        continue;
      }
      await leaveAlone(back);
      if (back.hold !== null) continue;
      back.fed = false;
      enter(back, 'live');
      const result = await visit.executeWithOptions({ summary: `visit ${back.hostKey}` }, [
        { hostId: back.hostId, hostKey: back.hostKey, budget: back.budget },
      ]);
      note(back, result);
      await settleIn(back, stateAfter(result));
      if (result.next.kind === 'empty' && (await hasEnded(back)))
        return { requests: back.requests };
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => park(back, 'idle'));
    throw error;
  }
  await condition(allHandlersFinished);
  return continueAsNew<typeof host>(carry(back));
}

function listen(back: BackQueue): void {
  setHandler(feed, ({ budget }) => {
    back.budget = budget;
    back.fed = true;
    if (back.state !== 'live') back.interrupt?.();
  });
  setHandler(pause, (order) => obey(back, pauseOrderOf(back.hostKey, order)));
  setHandler(resume, (order) => obey(back, resumeOrderOf(back.hostKey, order)));
  setHandler(drain, () => {
    back.draining = true;
    if (back.state === 'idle') back.interrupt?.();
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
    back.hold = await writeHold(order);
    back.interrupt?.();
  });
  back.orders = turn.catch(() => undefined);
  await turn;
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

async function untilLifted(back: BackQueue): Promise<void> {
  enter(back, 'held');
  const { hold } = back;
  if (hold === null) return;
  if (hold.until === null) {
    await condition(() => back.hold === null || back.refreshing);
    return;
  }
  const leftMs = Date.parse(hold.until) - Date.now();
  if (leftMs > 0) await interruptibleSleep(back, leftMs, `held until ${hold.until}`);
  if (back.hold === hold && Date.parse(hold.until) <= Date.now()) back.hold = null;
}

/** Waits a while for a feed; true where none came and no order is being written. */
async function hasEnded(back: BackQueue): Promise<boolean> {
  if (!back.fed && !back.draining) await interruptibleSleep(back, IDLE_MS, 'waiting for URLs');
  await condition(allHandlersFinished);
  return !back.fed && back.hold === null && !back.refreshing;
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

/** A host that is no longer live makes room for another. */
async function settleIn(back: BackQueue, state: HostState): Promise<void> {
  if (state === 'resting' || state === 'robots' || state === 'idle') await park(back, state);
  enter(back, state);
}

async function park(back: BackQueue, state: 'resting' | 'robots' | 'idle'): Promise<void> {
  await parkHost({ hostId: back.hostId, state });
}

function shouldContinueAsNew(back: BackQueue): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return back.refreshing || historyLength > EVENTS_A_RUN || continueAsNewSuggested;
}
