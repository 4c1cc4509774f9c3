import { setTimeout as sleep } from 'node:timers/promises';

/** Something started that may end by itself. */
export interface Running {
  /** Resolves when it ends, whatever the reason. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Something that is started again whenever it ends, until it is stopped. */
export interface Kept<T extends Running> {
  /** What was started first; every later one stands at the same addresses. */
  readonly first: T;
  /** What runs now; `undefined` between an end and the next start. */
  readonly current: () => T | undefined;
  readonly stop: () => Promise<void>;
}

/** What happens to a kept process, for the log and for those who watch. */
export type KeptEvent =
  | { readonly kind: 'ended' }
  | { readonly kind: 'started' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Starts something and keeps it running: the first restart comes at once, further ones after growing pauses (up to
 * 10 s), and after half a minute of running the count begins anew. A first start that fails three times
 * is thrown.
 *
 * @param start gets, at a restart, what was started first, whose addresses it must take again.
 */
export async function keepRunning<T extends Running>(
  start: (first: T | undefined) => Promise<T>,
  hear: (event: KeptEvent) => void,
): Promise<Kept<T>> {
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const first = await firstStart(start, hear);
  let current: T | undefined = first;
  hear({ kind: 'started' });

  const keeping = (async () => {
    let [restarts, startedAt] = [0, performance.now()];
    for (;;) {
      await firstOf(stopping.signal, current?.ended);
      if (isStopping()) break;
      if (current !== undefined) {
        current = undefined;
        hear({ kind: 'ended' });
        if (performance.now() - startedAt > STEADY_MS) restarts = 0;
      }
      await pause(PAUSES_MS[Math.min(restarts, PAUSES_MS.length - 1)] ?? 0, stopping.signal);
      if (isStopping()) break;
      restarts += 1;
      try {
        current = await start(first);
        startedAt = performance.now();
        hear({ kind: 'started' });
      } catch (error) {
        hear({ kind: 'failed', error });
      }
    }
    await current?.stop();
  })();

  return {
    first,
    current: () => current,
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

/** Starts in all before the first one counts as failed: between our look at a port and the server's, another may take it. */
const FIRST_STARTS = 3;

async function firstStart<T>(
  start: (first: undefined) => Promise<T>,
  hear: (event: KeptEvent) => void,
): Promise<T> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start(undefined);
    } catch (error) {
      if (starts === FIRST_STARTS) throw error;
      hear({ kind: 'failed', error });
    }
  }
}

const PAUSES_MS = [0, 500, 1_000, 2_000, 5_000, 10_000] as const;
const STEADY_MS = 30_000;

function firstOf(signal: AbortSignal, ended: Promise<void> | undefined): Promise<void> {
  if (ended === undefined || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void ended.then(done);
  });
}

async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}
