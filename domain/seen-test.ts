import { falsePositiveShare, filterCapacity } from './bloom-filter.ts';

/** `exact`: the unique key is asked about every link. `filter`: links that the filter may hold are left out unasked. */
export type SeenTestKind = 'exact' | 'filter';

/** What the filter answered since the crawl began, over all shards. */
export interface FilterTally {
  /** URLs that entered since it surely did not hold them. */
  readonly entered: number;
  /** Links left out since it may hold them. */
  readonly leftOut: number;
  /** Links that it may hold and that were checked all the same … */
  readonly checked: number;
  /** … and how many of these were new. */
  readonly wrong: number;
}

/** What filter-only mode costs. Shares are of new URLs, from 0 to 1. */
export interface FilterReport extends FilterTally {
  readonly expectedShare: number;
  /** `null` until something was checked. */
  readonly measuredShare: number | null;
  /** URLs that were left out as seen ones and were new, by estimate; a later link may have brought them in. */
  readonly lost: number;
}

/** One in so many links that the filter may hold is checked; our choice. */
const CHECKED_ONE_IN = 64;

/** Whether a link that the filter may hold is checked all the same: at random, so that no URL is lost for good. */
export function isChecked(random: () => number): boolean {
  return random() * CHECKED_ONE_IN < 1;
}

/**
 * @param knownByShard how many URLs each shard knows: a filter's size and its load follow from it.
 */
export function filterReport(tally: FilterTally, knownByShard: readonly number[]): FilterReport {
  const lost = tally.checked === 0 ? 0 : (tally.leftOut * tally.wrong) / tally.checked;
  const mistaken = lost + tally.wrong;
  const asked = mistaken + tally.entered;
  return {
    ...tally,
    expectedShare: expectedShare(knownByShard),
    measuredShare: tally.checked === 0 || asked === 0 ? null : mistaken / asked,
    lost: Math.round(lost),
  };
}

/** The mean over shards, each as heavy as it is big. */
function expectedShare(knownByShard: readonly number[]): number {
  const all = knownByShard.reduce((sum, known) => sum + known, 0);
  if (all === 0) return 0;
  return knownByShard.reduce(
    (sum, known) => sum + (known / all) * falsePositiveShare(known, filterCapacity(known)),
    0,
  );
}
