import { count } from './quantities.ts';
import { terminalOn } from './terminal.ts';
import type { Screen } from './terminal.ts';

const FIRST_AFTER_MS = 1_000;
const REDRAWN_EVERY_MS = 200;
const PLAIN_LINE_EVERY_MS = 10_000;

/** Says on standard error how far a long piece of work has come. */
export interface TallyLine {
  readonly show: (done: number) => void;
  /** Removes what is drawn, before other words. */
  readonly erase: () => void;
}

/**
 * A line such as `12,000 seeds read so far`: redrawn in place on a terminal, elsewhere printed every ten seconds.
 * Short work says nothing.
 */
export function tallyLine(
  stderr: Screen,
  what: string,
  { isShown }: { readonly isShown: boolean },
): TallyLine {
  const terminal = terminalOn(stderr, stderr);
  let nextMs = performance.now() + (terminal.isLive ? FIRST_AFTER_MS : PLAIN_LINE_EVERY_MS);
  return {
    show: (done) => {
      const nowMs = performance.now();
      if (!isShown || nowMs < nextMs) return;
      nextMs = nowMs + (terminal.isLive ? REDRAWN_EVERY_MS : PLAIN_LINE_EVERY_MS);
      const line = `${count(done)} ${what} so far`;
      if (terminal.isLive) terminal.draw([line.slice(0, terminal.width())]);
      else terminal.note(line);
    },
    erase: terminal.erase,
  };
}
