import { formatDuration } from '../domain/duration.ts';
import type { CrawlProgress } from '../domain/progress.ts';
import { hint } from './hints.ts';
import { bytes, count, counted } from './quantities.ts';

/** What the summary tells beside the counts. */
export interface SummaryContext {
  readonly data: string;
  /** Where the pages lie. */
  readonly warcFolder: string;
  /** The address of Temporal's web UI; `undefined` where it is not known. */
  readonly temporalUi: string | undefined;
  readonly nowMs: number;
}

/** The end of a crawl in a few lines: what came of it, what is left, where to look and what to type next. */
export function summaryLines(progress: CrawlProgress, context: SummaryContext): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['pages', pages(progress)],
    ['outcomes', outcomes(progress)],
    [
      'hosts',
      counted(
        Object.values(progress.hosts).reduce((sum, n) => sum + n, 0),
        'host',
      ),
    ],
    ['left', leftOf(progress, context.nowMs)],
    ['files', context.warcFolder],
    ...(context.temporalUi === undefined
      ? []
      : [['Temporal', `${context.temporalUi} (while a decorum runs here)`] as const]),
    ['next', nextStep(progress, context.data)],
  ];
  return [
    `${progress.name}: ${endOf(progress)}`,
    ...rows.map(([label, said]) => `  ${label.padEnd(9)} ${said}`),
  ];
}

/** The same as one JSON object on one line. */
export function summaryJson(progress: CrawlProgress, context: SummaryContext): string {
  const { warcFolder, temporalUi = null, data } = context;
  const next = nextStep(progress, data);
  return JSON.stringify({ kind: 'summary', ...progress, warcFolder, temporalUi, next });
}

/** How a crawl ended, or that it has not, as one sentence without a full stop. */
export function endOf({ state, endReason, pageBudget }: CrawlProgress): string {
  switch (endReason) {
    case 'finished':
      return 'finished, every URL is settled';
    case 'pages spent':
      return `ended, its ${pageBudget === null ? '' : `${counted(pageBudget, 'page')} `}are spent (--pages)`;
    case 'time spent':
      return 'ended, its time is spent (--time)';
    case 'only retries left':
      return 'ended, only retries and unreachable robots.txt are left (--no-wait)';
    case 'stopped':
      return 'stopped, it can be resumed';
    case null:
      return state;
  }
}

function pages({ pages: fetched, bytes: size, startedAt, endedAt }: CrawlProgress): string {
  if (endedAt === null) return `${counted(fetched, 'page')}, ${bytes(size)}`;
  const lastedMs = Math.max(1, endedAt.getTime() - startedAt.getTime());
  const rate = (fetched / lastedMs) * 1_000;
  return `${counted(fetched, 'page')} in ${formatDuration(lastedMs)} (${rate.toFixed(1)}/s), ${bytes(size)}`;
}

function outcomes(progress: CrawlProgress): string {
  const parts = Object.entries(progress.outcomes)
    .filter(([, n]) => n > 0)
    .map(([outcome, n]) => `${count(n)} ${outcome}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function leftOf({ queuedByBand, assigned, waiting }: CrawlProgress, nowMs: number): string {
  const queued = queuedByBand.reduce((sum, n) => sum + n, 0);
  const { retries, robots, held, until } = waiting;
  const parts = [
    ...(queued > 0 ? [`${count(queued)} queued`] : []),
    ...(assigned > 0 ? [`${count(assigned)} assigned`] : []),
    ...(retries > 0 ? [counted(retries, 'retry', 'retries')] : []),
    ...(robots > 0 ? [`${count(robots)} for a robots.txt`] : []),
    ...(held > 0 ? [`${count(held)} held`] : []),
  ];
  if (parts.length === 0) return 'nothing';
  const waitMs = until === null ? 0 : until.getTime() - nowMs;
  return parts.join(', ') + (waitMs > 0 ? `; the next in ${formatDuration(waitMs)}` : '');
}

function nextStep({ name, endReason, pageBudget }: CrawlProgress, data: string): string {
  switch (endReason) {
    case 'pages spent':
      return hint(
        ['crawl', '--name', name, '--pages', pageBudget === null ? '<n>' : String(2 * pageBudget)],
        data,
      );
    case 'time spent':
      return hint(['crawl', '--name', name, '--time', '<duration>'], data);
    case 'only retries left':
    case 'stopped':
    case null:
      return hint(['resume', name], data);
    case 'finished':
      return hint(['why', '<url>', '--name', name], data);
  }
}
