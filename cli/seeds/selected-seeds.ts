import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import {
  selectionExclusion,
  selectionText,
  urlSelectionOf,
  type UrlSelection,
} from '../../domain/url-selection.ts';
import { UsageError } from '../errors.ts';
import { counted } from '../views/quantities.ts';
import type { SeedList } from './seed-list.ts';

/** Parts the seeds that a crawl's own rules take from the others, which are counted. */
export interface SeedSelection {
  readonly taken: (seeds: readonly RequestUrl[]) => readonly RequestUrl[];
  readonly leftOut: () => number;
  /** What became of the others, for people; `undefined` where there are none. */
  readonly said: () => string | undefined;
}

/** A selection by these settings. */
export function seedSelection(settings: CrawlSettings): SeedSelection {
  const selection = urlSelectionOf(settings);
  let leftOut = 0;
  let first: string | undefined;
  return {
    taken: (seeds) =>
      seeds.filter((seed) => {
        const fault = faultOf(seed, selection);
        if (fault === undefined) return true;
        leftOut += 1;
        first ??= fault;
        return false;
      }),
    leftOut: () => leftOut,
    said: () => first && `left out ${counted(leftOut, 'seed')}: ${first}`,
  };
}

/**
 * Refuses seeds of which the crawl's own rules take none.
 *
 * @throws UsageError
 */
export async function requireTakenSeed(settings: CrawlSettings, seeds: SeedList): Promise<void> {
  const selection = seedSelection(settings);
  for await (const batch of seeds.batches()) {
    if (selection.taken(batch).length > 0) return;
  }
  const said = selection.said();
  if (said === undefined) return;
  throw new UsageError(
    `No seed is left by the crawl's rules: ${said}. Give another seed, or other rules by --exclude and --include.`,
  );
}

function faultOf(seed: RequestUrl, selection: UrlSelection): string | undefined {
  const rule = selectionExclusion(seed, 0, selection);
  return rule && `"${seed}" is ${selectionText(rule)}`;
}
