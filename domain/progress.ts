import type { CrawlState, EndReason, HostState } from './crawl-state.ts';
import type { FilterReport } from './seen-test.ts';
import type { Shortage } from './shortage.ts';

/** What may have to be done to all that is queued, a batch after another: `exclude` and `reband` by rules that came meanwhile. */
export type ChoreKind = 'exclude' | 'reband';

/** A chore that is under way, over all shards. */
export interface ChoreProgress {
  readonly kind: ChoreKind;
  /** URLs that were queued when it was begun. */
  readonly queued: number;
  readonly looked: number;
  /** Of these. */
  readonly changed: number;
}

/** A snapshot of a crawl's counts (R47); all of it comes from Postgres, so a restart counts on, not anew. */
export interface CrawlProgress {
  readonly name: string;
  readonly state: CrawlState;
  readonly endReason: EndReason | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Fetches that ended with a final answer of any status (R43). */
  readonly pages: number;
  readonly pageBudget: number | null;
  /** Bytes of the pages' bodies as they were transferred. */
  readonly bytes: number;
  /** URLs that the frontier knows. */
  readonly known: number;
  /** Number of fetches and decisions by outcome: `fetched`, `unchanged`, `redirected`, `put off`, `failed`, `excluded`, `dead`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Links that never entered the frontier, by the rule that left them out; each time that one was found. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly hosts: Readonly<Record<HostState, number>>;
  /** Queued URLs, band 1 first. */
  readonly queuedByBand: readonly number[];
  /** Since when the first URL of each band waits, band 1 first, in milliseconds; `null` where none does (R7). */
  readonly oldestMsByBand: readonly (number | null)[];
  readonly assigned: number;
  /** Fetches that failed or were put off. */
  readonly errors: number;
  readonly waiting: {
    readonly retries: number;
    readonly robots: number;
    readonly held: number;
    /** The earliest instant at which one of these goes on; `null` where only a person can tell. */
    readonly until: Date | null;
  };
  /** What the crawl's own prioritizer module got wrong: so many URLs went by the other rules. */
  readonly prioritizerFaults: {
    readonly file: string;
    readonly fault: string;
    readonly urls: number;
  } | null;
  /** What knowing URLs by filter only costs; `null` where the seen test is exact (R22). */
  readonly seenFilter: FilterReport | null;
  /** What is being done to all that is queued. */
  readonly chores: readonly ChoreProgress[];
  /** The folders of pages without room, for which the crawl holds itself; none unless it is running. */
  readonly shortages: readonly Shortage[];
}
