import type { CrawlProgress } from '../../domain/progress.ts';
import { pagesPerSecond, withSample } from './page-rate.ts';
import type { PageSample } from './page-rate.ts';
import { shortageText } from '../../domain/shortage.ts';
import { progressJson, progressLine, progressLines } from './progress-view.ts';
import type { Terminal } from './terminal.ts';

const PLAIN_LINE_EVERY_MS = 5_000;

/** In which of the three ways progress is shown. */
export interface ProgressStyle {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly quiet: boolean;
}

/**
 * Shows one reading of a crawl's progress after another: as JSON each time, redrawn in place on a terminal, elsewhere
 * as a line every five seconds, or not at all. A crawl that has not begun has nothing to show but that.
 */
export function progressPrinter({
  terminal,
  json,
  quiet,
}: ProgressStyle): (progress: CrawlProgress, hasBegun: boolean) => void {
  let samples: readonly PageSample[] = [];
  let printedMs = -Infinity;
  let wasHeld = false;

  /** Said once at each turn, and beside the counts: a log may be read by who wonders why nothing goes on. */
  const noteHold = ({ shortages }: CrawlProgress): void => {
    const isHeld = shortages.length > 0;
    if (isHeld && !wasHeld) {
      shortages.forEach((one) => {
        terminal.note(`held: ${shortageText(one)}`);
      });
    } else if (wasHeld && !isHeld) terminal.note('no longer held for want of room');
    wasHeld = isHeld;
  };

  return (progress, hasBegun) => {
    if (hasBegun && !terminal.isLive) noteHold(progress);
    const atMs = performance.now();
    if (hasBegun) samples = withSample(samples, { atMs, pages: progress.pages });
    const look = { progress, pagesPerSecond: pagesPerSecond(samples), nowMs: Date.now() };

    if (json) {
      if (hasBegun) terminal.print(progressJson(look));
    } else if (terminal.isLive && !quiet) {
      const screen = { width: terminal.width(), colours: terminal.colours };
      terminal.draw(hasBegun ? progressLines(look, screen) : [`${progress.name} · starting`]);
    } else if (!quiet && hasBegun && atMs - printedMs >= PLAIN_LINE_EVERY_MS) {
      printedMs = atMs;
      terminal.print(progressLine(look));
    }
  };
}
