import type { CrawlProgress } from '../../domain/progress.ts';
import type { Shortage } from '../../domain/shortage.ts';

export const START = new Date('2026-08-01T12:00:00Z');

export const SHORTAGE: Shortage = {
  place: 'box:/data/warc',
  freeBytes: 12_000_000,
  wantedBytes: 256_000_000,
  refusal: null,
  since: START,
};

/** Counts of a crawl in its second minute, but for what a test says otherwise. */
export function aProgress(otherwise: Partial<CrawlProgress> = {}): CrawlProgress {
  return {
    name: 'docs',
    state: 'running',
    endReason: null,
    startedAt: START,
    endedAt: null,
    pages: 1_214,
    pageBudget: 5_000,
    bytes: 42_300_000,
    known: 12_040,
    outcomes: { fetched: 1_214, redirected: 9, 'put off': 3, failed: 1, excluded: 40, dead: 0 },
    leftOut: { scope: 5_210, 'rule path:/print/*': 12 },
    hosts: { live: 18, resting: 1, held: 0, robots: 1, idle: 2 },
    queuedByBand: [2, 310, 6_400],
    oldestMsByBand: [1_000, 60_000, 3_600_000],
    assigned: 60,
    errors: 4,
    waiting: { retries: 2, robots: 1, held: 0, until: new Date(START.getTime() + 3_672_000) },
    prioritizerFaults: null,
    seenFilter: null,
    chores: [],
    shortages: [],
    ...otherwise,
  };
}
