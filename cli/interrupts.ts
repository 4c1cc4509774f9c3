import { EXIT } from './exit-codes.ts';

// `npx` and `npm run` pass on a Ctrl-C that the terminal has sent to everybody already: one press, two signals.
const SAME_PRESS_MS = 300;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The person's wish to leave, by Ctrl-C, a signal or a closed pipe. */
export interface Interrupts {
  /** Aborts at the first one. */
  readonly signal: AbortSignal;
  /** Asks to leave, as Ctrl-C does. */
  readonly raise: () => void;
  /** Gives the signals back to Node, which then ends the process at the next one. */
  readonly stopListening: () => void;
}

/**
 * Listens for signals. The first one asks to leave in order, the second leaves at once with 130: every page is on
 * disk and every claim in Postgres before it is needed, so that loses nothing.
 */
export function listenForInterrupts(
  leave: (exitCode: number) => void = (exitCode) => process.exit(exitCode),
): Interrupts {
  const controller = new AbortController();
  let firstAtMs = 0;
  const raise = (): void => {
    if (!controller.signal.aborted) {
      firstAtMs = performance.now();
      controller.abort();
    } else if (performance.now() - firstAtMs > SAME_PRESS_MS) {
      leave(EXIT.interrupted);
    }
  };
  for (const name of SIGNALS) process.on(name, raise);
  return {
    signal: controller.signal,
    raise,
    stopListening: () => {
      for (const name of SIGNALS) process.off(name, raise);
    },
  };
}
