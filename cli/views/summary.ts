import { formatDuration } from '../../domain/duration.ts';
import type { CrawlProgress } from '../../domain/progress.ts';
import { shortageText } from '../../domain/shortage.ts';
import { hint } from '../hints.ts';
import { DEFAULT_DATA_FOLDER } from '../settings/options.ts';
import { bytes, count, counted } from './quantities.ts';

/** What the summary tells beside the counts. */
export interface SummaryContext {
  readonly data: string;
  /** Where the pages lie. */
  readonly warcFolder: string;
  /** The address of Temporal's web UI; `undefined` where it is not known. */
  readonly temporalUi: string | undefined;
  readonly run: { readonly pages: number; readonly lastedMs: number };
  readonly nowMs: number;
}

/** The end of a crawl in a few lines: what came of it, what is left, where to look and what to type next. */
export function summaryLines(progress: CrawlProgress, context: SummaryContext): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['pages', pages(progress, context.run)],
    ['outcomes', outcomes(progress)],
    [
      'hosts',
      counted(
        Object.values(progress.hosts).reduce((sum, n) => sum + n, 0),
        'host',
      ),
    ],
    ['left', leftOf(progress, context.nowMs)],
    ...progress.shortages.map((one) => ['held', shortageText(one)] as const),
    ['files', context.warcFolder],
    ...(context.temporalUi === undefined
      ? []
      : [['Temporal', `${context.temporalUi} (while a decorum runs here)`] as const]),
  ];
  return [
    `${progress.name}: ${endOf(progress)}`,
    ...rows.map(([label, said]) => `  ${label.padEnd(9)} ${said}`),
    isOver(progress)
      ? `  next      ${nextStep(progress, context.data)}`
      : resumeLine(progress.name, context.data),
  ];
}

/** How to go on with a crawl that was interrupted; names the data folder always, to be pasted from anywhere near. */
export function resumeLine(name: string, data: string): string {
  return `resume with: ${hint(['resume', name, '--data', data], DEFAULT_DATA_FOLDER)}`;
}

/** The same as one JSON object on one line. */
export function summaryJson(progress: CrawlProgress, context: SummaryContext): string {
  const { warcFolder, temporalUi = null, run, data } = context;
  const next = nextStep(progress, data);
  return JSON.stringify({ kind: 'summary', ...progress, run, warcFolder, temporalUi, next });
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

function isOver({ endReason }: CrawlProgress): boolean {
  return endReason !== null && endReason !== 'stopped';
}

function pages(progress: CrawlProgress, run: SummaryContext['run']): string {
  const rate = (run.pages / Math.max(1, run.lastedMs)) * 1_000;
  const now = `${count(run.pages)} in this run of ${formatDuration(run.lastedMs)}, ${rate.toFixed(1)}/s`;
  return `${counted(progress.pages, 'page')} (${now}), ${bytes(progress.bytes)}`;
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
