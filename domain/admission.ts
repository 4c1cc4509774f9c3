import { isBlockedPort, portOf } from './blocked-ports.ts';
import type { CrawlSettings } from './crawl-settings.ts';
import type { ExclusionRule } from './outcome.ts';
import type { RequestUrl } from './request-url.ts';
import { isInScope, type Scope } from './scope.ts';
import { trapReason, type TrapLimits } from './traps.ts';
import { selectionExclusion, type UrlSelection } from './url-selection.ts';

/** The settings that decide which links enter the frontier. */
export interface AdmissionRules
  extends Pick<CrawlSettings, 'maxUrlLength' | 'depthLimit'>, TrapLimits {
  readonly scope: Scope;
  readonly selection: UrlSelection;
}

/** The rules that tell something of the host for which a link was left out: how many is counted by host, too. */
const OF_HOSTS: ReadonlySet<string> = new Set<ExclusionRule>([
  'segments',
  'repeatedSegments',
  'parameters',
  'repeatedParameters',
  'calendar',
  'hostQueue',
]);

/** Whether links that were left out by this rule are counted by host (R24). */
export function tellsOfHost(rule: string): boolean {
  return OF_HOSTS.has(rule);
}

/** Where and when a link is found. */
export interface Found {
  /** Links from the nearest seed. */
  readonly depth: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Which rule keeps a discovered link out of the frontier, if any (R23, R24). A URL of exactly a limit is still
 * admitted. Of seeds only the crawl's own rules are asked (`selectionExclusion`): whoever gives one means it.
 */
export function linkExclusion(
  url: RequestUrl,
  { depth, nowMs }: Found,
  rules: AdmissionRules,
): ExclusionRule | undefined {
  const { maxUrlLength, depthLimit, scope, selection } = rules;
  if (url.length > maxUrlLength) return 'length';
  if (depthLimit !== null && depth > depthLimit) return 'depth';
  if (!isInScope(url, scope)) return 'scope';
  if (isBlockedPort(portOf(url))) return 'port';
  return trapReason(url, rules, nowMs) ?? selectionExclusion(url, depth, selection);
}
