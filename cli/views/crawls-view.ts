import type { CrawlSize } from '../../db/crawl-sizes.ts';
import { bytes, count, instant } from './quantities.ts';
import { tableLines } from './table.ts';
import type { Column } from './table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'NAME', narrowest: 12, dropped: 0 },
  { title: 'STATE', dropped: 0 },
  { title: 'PAGES', align: 'right', dropped: 1 },
  { title: 'URLS KNOWN', align: 'right', dropped: 3 },
  { title: 'BYTES', align: 'right', dropped: 4 },
  { title: 'STARTED', dropped: 5 },
  { title: 'LAST RUN', dropped: 2 },
];

/** The crawls as a table. */
export function crawlsLines(
  crawls: readonly CrawlSize[],
  look: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  return tableLines(COLUMNS, crawls.map(rowOf), look);
}

/** One crawl as JSON on one line. Instants are ISO 8601. */
export function crawlJson(crawl: CrawlSize): string {
  return JSON.stringify({ kind: 'crawl', ...crawl });
}

function rowOf(crawl: CrawlSize): readonly string[] {
  const { name, pages, known, startedAt, runStartedAt } = crawl;
  return [
    name,
    stateOf(crawl),
    count(pages),
    count(known),
    bytes(crawl.bytes),
    instant(startedAt),
    instant(runStartedAt),
  ];
}

function stateOf({ state, endReason, removingSince }: CrawlSize): string {
  if (removingSince !== null) return 'half removed';
  return endReason === null || endReason === state ? state : `${state}: ${endReason}`;
}
