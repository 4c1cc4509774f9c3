import type { CrawlSettings } from './crawl-settings.ts';
import type { ExclusionRule } from './outcome.ts';
import type { RequestUrl } from './request-url.ts';
import { isInScope, type Scope } from './scope.ts';

/** The settings that decide which links enter the frontier. */
export interface AdmissionRules extends Pick<CrawlSettings, 'maxUrlLength' | 'depthLimit'> {
  readonly scope: Scope;
}

/**
 * Which rule keeps a discovered link out of the frontier, if any (R23, R24). `depth` counts links from the nearest
 * seed; a URL of exactly the limit is still admitted.
 */
export function linkExclusion(
  url: RequestUrl,
  depth: number,
  { maxUrlLength, depthLimit, scope }: AdmissionRules,
): ExclusionRule | undefined {
  if (url.length > maxUrlLength) return 'length';
  if (depthLimit !== null && depth > depthLimit) return 'depth';
  if (!isInScope(url, scope)) return 'scope';
  return undefined;
}
