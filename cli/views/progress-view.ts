import { formatDuration } from '../../domain/duration.ts';
import type { ChoreProgress, CrawlProgress } from '../../domain/progress.ts';
import { shortageParts, shortageText } from '../../domain/shortage.ts';
import { cut, harmless, paint, plain } from './ansi.ts';
import type { Piece } from './ansi.ts';
import { bytes, count, counted, percent } from './quantities.ts';

const INDENT = '  ';
const LABEL_COLUMNS = 11;
const DOT = ' · ';

/** What one look at a crawl shows; the clock comes in, so that the same counts give the same text. */
export interface ProgressLook {
  readonly progress: CrawlProgress;
  /** `undefined` until two samples were taken. */
  readonly pagesPerSecond: number | undefined;
  readonly nowMs: number;
}

/** A few lines to be redrawn in place, none wider than `width` columns; what does not fit goes to a further line. */
export function progressLines(
  look: ProgressLook,
  { width, colours }: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  const { progress } = look;
  const rows: readonly (readonly [string, readonly Piece[]])[] = [
    ['', headline(look)],
    ['hosts', hostPieces(progress)],
    ['queue', queuePieces(progress)],
    ['fetches', fetchPieces(progress)],
    ['left out', leftOutPieces(progress)],
    ['waiting', waitingPieces(look)],
    ['bands', faultPieces(progress)],
    ['seen test', filterPieces(progress)],
    ['chores', progress.chores.map(choreText).map(plain)],
    ['held', shortagePieces(progress)],
  ];
  return rows
    .filter(([, pieces]) => pieces.length > 0)
    .flatMap(([label, pieces]) => wrap(label, pieces, width, colours));
}

/** The same on one line, for logs and pipes: no colour, no cursor. */
export function progressLine(look: ProgressLook): string {
  const { progress } = look;
  const waiting = waitingPieces(look).map(({ text }) => text);
  return [
    ...headline(look).map(({ text }) => text),
    `hosts ${hostPieces(progress)
      .map(({ text }) => text)
      .join(', ')}`,
    `queue ${progress.queuedByBand.map(count).join(' + ')}, ${count(progress.assigned)} assigned`,
    counted(progress.errors, 'error'),
    ...(waiting.length > 0 ? [`waiting: ${waiting.join(', ')}`] : []),
    ...faultPieces(progress).map(({ text }) => text),
    ...progress.shortages.map((one) => `held: ${harmless(shortageText(one))}`),
  ].join(DOT);
}

/** One JSON object on one line, for machines: the counts as they are, and the rate. */
export function progressJson({ progress, pagesPerSecond, nowMs }: ProgressLook): string {
  return JSON.stringify({
    kind: 'progress',
    at: new Date(nowMs),
    ...progress,
    pagesPerSecond: pagesPerSecond === undefined ? null : Math.round(pagesPerSecond * 100) / 100,
  });
}

/** Whether nothing but retries, unreadable robots.txt files and held hosts is left to do (R40). */
export function onlyWaits({ queuedByBand, hosts, waiting }: CrawlProgress): boolean {
  const queued = queuedByBand.reduce((sum, n) => sum + n, 0);
  return queued === 0 && hosts.live === 0 && waiting.retries + waiting.robots + waiting.held > 0;
}

function headline({ progress, pagesPerSecond, nowMs }: ProgressLook): readonly Piece[] {
  const lastedMs = Math.max(
    0,
    (progress.endedAt?.getTime() ?? nowMs) - progress.startedAt.getTime(),
  );
  const pages =
    progress.pageBudget === null
      ? counted(progress.pages, 'page')
      : `${count(progress.pages)} of ${counted(progress.pageBudget, 'page')}`;
  return [
    { text: progress.name, look: 'bold' },
    plain(`${progress.state} ${formatDuration(lastedMs)}`),
    { text: pages, look: 'green' },
    ...(pagesPerSecond === undefined ? [] : [plain(`${pagesPerSecond.toFixed(1)} pages/s`)]),
    plain(bytes(progress.bytes)),
    plain(`${counted(progress.known, 'URL')} known`),
  ];
}

function hostPieces({ hosts }: CrawlProgress): readonly Piece[] {
  return [
    plain(`${count(hosts.live)} live`),
    plain(`${count(hosts.resting)} resting`),
    { text: `${count(hosts.held)} held`, look: hosts.held > 0 ? 'yellow' : 'plain' },
    ...(hosts.robots > 0 ? [plain(`${count(hosts.robots)} awaiting robots.txt`)] : []),
    plain(`${count(hosts.idle)} idle`),
  ];
}

function queuePieces({ queuedByBand, assigned }: CrawlProgress): readonly Piece[] {
  return [
    ...queuedByBand.map((n, band) => plain(`${count(n)} in band ${band + 1}`)),
    plain(`${count(assigned)} assigned`),
  ];
}

function fetchPieces({ outcomes, errors }: CrawlProgress): readonly Piece[] {
  return [
    ...Object.entries(outcomes)
      .filter(([, n]) => n > 0)
      .map(([outcome, n]) => plain(`${count(n)} ${outcome}`)),
    { text: counted(errors, 'error'), look: errors > 0 ? 'red' : 'plain' },
  ];
}

/** By rule, the most links first. */
function leftOutPieces({ leftOut }: CrawlProgress): readonly Piece[] {
  return Object.entries(leftOut)
    .toSorted(([, a], [, b]) => b - a)
    .map(([rule, links]) => plain(harmless(`${count(links)} by ${rule}`)));
}

function waitingPieces({ progress, nowMs }: ProgressLook): readonly Piece[] {
  const { retries, robots, held, until } = progress.waiting;
  const parts = [
    ...(retries > 0 ? [counted(retries, 'retry', 'retries')] : []),
    ...(robots > 0 ? [`${count(robots)} for a robots.txt`] : []),
    ...(held > 0 ? [`${count(held)} held by a person`] : []),
  ];
  if (parts.length === 0) return [];
  const only = onlyWaits(progress) ? ['nothing else is left'] : [];
  const next =
    until === null
      ? []
      : [
          until.getTime() > nowMs
            ? `the next in ${formatDuration(until.getTime() - nowMs)}`
            : 'the next now',
        ];
  return [...parts, ...next, ...only].map((text) => ({ text, look: 'yellow' }));
}

function faultPieces({ prioritizerFaults }: CrawlProgress): readonly Piece[] {
  if (prioritizerFaults === null) return [];
  const { urls, file, fault } = prioritizerFaults;
  const went = `${counted(urls, 'URL')} went by other rules than ${file}`;
  return [{ text: harmless(`${went}: ${fault}`), look: 'red' }];
}

function filterPieces({ seenFilter }: CrawlProgress): readonly Piece[] {
  if (seenFilter === null) return [];
  const { expectedShare, measuredShare, leftOut, lost } = seenFilter;
  const measured = measuredShare === null ? [] : [plain(`${percent(measuredShare)} measured`)];
  return [
    plain('by filter only'),
    plain(`${percent(expectedShare)} of new URLs taken for known ones expected`),
    ...measured,
    {
      text: `about ${counted(lost, 'URL')} lost of ${counted(leftOut, 'link')} left out`,
      look: lost > 0 ? 'yellow' : 'plain',
    },
  ];
}

/** How far a chore has come: URLs enter and leave meanwhile, so the numbers need not meet. */
export function choreText({ kind, queued, looked, changed }: ChoreProgress): string {
  return `${kind}: ${count(looked)} of ${counted(queued, 'URL')} looked at, ${count(changed)} changed`;
}

function shortagePieces({ shortages }: CrawlProgress): readonly Piece[] {
  return shortages
    .flatMap(shortageParts)
    .map((part) => ({ text: harmless(part), look: 'red' }) as const);
}

/** Sets a label and its pieces, breaking lines between pieces; continuation lines stand under the first piece. */
function wrap(
  label: string,
  pieces: readonly Piece[],
  width: number,
  colours: boolean,
): readonly string[] {
  const margin = label === '' ? 0 : Math.min(LABEL_COLUMNS, width >> 1);
  const hanging = Math.max(margin, INDENT.length);
  const head = cut(`${INDENT}${label}`, margin).padEnd(margin);
  return intoLines(pieces, Math.max(1, width - hanging)).map((line, index) => {
    const start = index === 0 ? paint({ text: head, look: 'dim' }, colours) : ' '.repeat(hanging);
    return start + line.map((piece) => paint(piece, colours)).join(DOT);
  });
}

function intoLines(pieces: readonly Piece[], columns: number): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [];
  let free = 0;
  for (const { text, look } of pieces) {
    const piece = { text: cut(text, columns), look };
    const wanted = DOT.length + piece.text.length;
    const line = lines.at(-1);
    if (line === undefined || wanted > free) {
      lines.push([piece]);
      free = columns - piece.text.length;
    } else {
      line.push(piece);
      free -= wanted;
    }
  }
  return lines;
}
