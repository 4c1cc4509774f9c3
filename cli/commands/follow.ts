import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlProgress } from '../../domain/progress.ts';
import type { Loss } from '../../workers/open-servers.ts';
import { isDiskFull, isUnreachable } from '../errors.ts';
import { progressPrinter } from '../views/progress-printer.ts';
import type { Terminal } from '../views/terminal.ts';

const POLL_MS = 1_000;

/** A page takes 20 s at most by default, and its settle a moment; longer than this, and something is wrong. */
const STOP_LIMIT_MS = 40_000;

/** The supervisor brings a dead Postgres back in less. */
const OUTAGE_LIMIT_MS = 180_000;

/** How long a crawl may take to begin, on a busy machine. */
const START_LIMIT_MS = 60_000;

/** Thrown where the process that keeps the servers running is gone; `resume` starts it again. */
export class SupervisorLost extends Error {
  override readonly name = 'SupervisorLost';
}

/** What following a crawl needs of the rest. */
export interface Following {
  readonly readProgress: () => Promise<CrawlProgress>;
  /** Asks the crawl to finish the pages in flight and stop. */
  readonly stop: () => Promise<void>;
  /** When the crawl's last run ended; `null` where it never ran or runs still. */
  readonly endedBefore: Date | null;
  readonly interrupted: AbortSignal;
  /** Resolves if the servers are ended by others, or their supervisor is killed and brings back nothing any more. */
  readonly lost: Promise<Loss>;
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** How following ended, with the last counts; `undefined` where none could be read after an interruption. */
export interface Followed {
  readonly progress: CrawlProgress | undefined;
  /** Also where another command ended the servers. */
  readonly interrupted: boolean;
  /** What this run alone did; a crawl's own counts go on from run to run. */
  readonly run: { readonly pages: number; readonly lastedMs: number };
}

/**
 * Shows a crawl's progress each second until it has ended. When interrupted it asks the crawl to stop and shows how
 * the pages in flight end; it waits 40 s for them at most, since what is left then is booked in Postgres anyway.
 *
 * A Postgres that is away is waited for: three minutes, then the error of the last attempt is thrown. One that says that
 * its disk is full is waited for until there is room.
 *
 * Servers that another command ends are an interruption too: the crawl stays as it is.
 *
 * @throws SupervisorLost
 */
export async function followCrawl(following: Following): Promise<Followed> {
  const { terminal, interrupted, endedBefore } = following;
  const startedMs = performance.now();
  const read = reader(following);
  const show = progressPrinter(following);
  const lossNow = settled(following.lost);
  let isLeft = false;
  let latest: CrawlProgress | undefined;
  let pagesBefore: number | undefined;
  let stopBeforeMs = Infinity;

  for (;;) {
    const loss = lossNow();
    if (loss === 'killed') throw new SupervisorLost('The supervisor of the servers was killed');
    isLeft = loss === 'ended';
    if (isLeft) {
      terminal.note('the servers are being ended by another command: the crawl goes on with them');
      break;
    }
    const progress = await read();
    if (progress !== undefined) {
      const isOver = hasEnded(progress, endedBefore, performance.now() - startedMs);
      latest = progress;
      pagesBefore ??= progress.pages;
      show(progress, isOver || isUnderWay(progress));
      if (isOver) break;
    }

    if (interrupted.aborted && stopBeforeMs === Infinity) {
      stopBeforeMs = performance.now() + STOP_LIMIT_MS;
      if (!(await askToStop(following))) break;
    }
    if (performance.now() > stopBeforeMs) break;
    await pause(POLL_MS, stopBeforeMs === Infinity ? interrupted : undefined);
  }
  terminal.erase();
  const pages = (latest?.pages ?? 0) - (pagesBefore ?? 0);
  const run = { pages, lastedMs: performance.now() - startedMs };
  return { progress: latest, interrupted: isLeft || interrupted.aborted, run };
}

/**
 * Whether this run of the crawl is over. A crawl that is being started still shows how it stood before, for a moment:
 * ended at the same instant, or made and never run.
 */
export function hasEnded(
  { state, endedAt }: Pick<CrawlProgress, 'state' | 'endedAt'>,
  endedBefore: Date | null,
  followedMs: number,
): boolean {
  if (isUnderWay({ state })) return false;
  return endedAt?.getTime() !== endedBefore?.getTime() || followedMs > START_LIMIT_MS;
}

function isUnderWay({ state }: Pick<CrawlProgress, 'state'>): boolean {
  return state === 'running' || state === 'stopping';
}

async function askToStop({ stop, terminal }: Following): Promise<boolean> {
  terminal.note('stopping: finishing pages in flight (up to 25 s); Ctrl-C again leaves at once');
  const asked = stop().then(
    () => true,
    (error: unknown) => {
      terminal.note(
        `the crawl could not be asked to stop: ${error instanceof Error ? error.message : String(error)}`,
      );
      return false;
    },
  );
  const tooLate = sleep(STOP_LIMIT_MS, false, { ref: false });
  return Promise.race([asked, tooLate]);
}

/** Reads the progress; `undefined` while Postgres is away. */
function reader({ readProgress, terminal }: Following): () => Promise<CrawlProgress | undefined> {
  let awaySinceMs: number | undefined;
  return async () => {
    try {
      const progress = await readProgress();
      if (awaySinceMs !== undefined) terminal.note('Postgres answers again');
      awaySinceMs = undefined;
      return progress;
    } catch (error) {
      const isFull = isDiskFull(error);
      if (!isFull && !isUnreachable(error)) throw error;
      if (awaySinceMs === undefined) {
        const trouble = isFull ? 'has no room on its disk' : 'does not answer';
        terminal.note(`Postgres ${trouble}: waiting for it`);
      }
      awaySinceMs ??= performance.now();
      if (!isFull && performance.now() - awaySinceMs > OUTAGE_LIMIT_MS) throw error;
      return undefined;
    }
  };
}

/** What a promise has resolved to by now. */
function settled<T>(promise: Promise<T>): () => T | undefined {
  let result: T | undefined;
  void promise.then((value) => {
    result = value;
  });
  return () => result;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await sleep(ms, undefined, options).catch(() => undefined);
}
