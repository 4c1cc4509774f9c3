import { withEverythingEscaped } from './percent-encoding.ts';
import type { RequestUrl } from './request-url.ts';
import { groupFor, type RobotsGroup } from './robots-group.ts';
import { matches, rulesOf, type RobotsRule } from './robots-rule.ts';

export { decodeRobots, MAX_ROBOTS_BYTES } from './robots-file.ts';
export { productTokenOf } from './robots-group.ts';

/** What one robots.txt says to one crawler; made by `parseRobots`, read by `robotsVerdict` and `crawlDelayMs`. */
export interface RobotsRules {
  /** Whom the rules are for: those that name the crawler, everyone, or nobody where the file has neither. */
  readonly group: RobotsGroup['of'];
  /** In the order in which they decide. */
  readonly rules: readonly RobotsRule[];
  /** The values of the `Sitemap` lines, each once, as written. */
  readonly sitemaps: readonly string[];
  readonly crawlDelayMs: number | undefined;
}

/** Whether a URL may be fetched, and the rule that decides it; no rule where none matches. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Where in the file the rule stands, from 1 (R20). */
  readonly line?: number;
  /** The rule as it would be written, `Disallow: /private/`. */
  readonly rule?: string;
}

/**
 * Reads a robots.txt for one crawler (RFC 9309 §2.2). Takes time proportional to the file, whatever is in it, and
 * never throws.
 */
export function parseRobots(body: string, productToken: string): RobotsRules {
  const { of, rules, crawlDelays, sitemaps } = groupFor(productToken, body);
  return { group: of, rules: rulesOf(rules), sitemaps, crawlDelayMs: longestDelayMs(crawlDelays) };
}

/**
 * Whether the rules let a URL of the file's own origin be fetched: the longest matching rule decides, Allow where two
 * are equally long (RFC 9309 §2.2.2). /robots.txt itself may always be fetched.
 */
export function robotsVerdict({ rules }: RobotsRules, url: RequestUrl): RobotsVerdict {
  const path = pathOf(url);
  if (path === '/robots.txt') return { allowed: true };

  const escaped = withEverythingEscaped(path);
  const rule = rules.find((candidate) => matches(candidate, escaped));
  if (rule === undefined) return { allowed: true };

  const { allow, line, value } = rule;
  return { allowed: allow, line, rule: `${allow ? 'Allow' : 'Disallow'}: ${value}` };
}

/**
 * The gap that the file asks of this crawler, in milliseconds, at most a day; the longest where it asks twice (R18).
 * `undefined` where it asks for none, or for nonsense.
 */
export function crawlDelayMs(rules: RobotsRules): number | undefined {
  return rules.crawlDelayMs;
}

/** Everything after the authority, also a bare question mark, which `URL.search` would drop. */
function pathOf(url: RequestUrl): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

const MAX_DELAY_MS = 86_400_000;

function longestDelayMs(values: readonly string[]): number | undefined {
  const readable = values.filter((value) => /^(?:\d+\.?\d*|\.\d+)$/u.test(value));
  if (readable.length === 0) return undefined;

  const seconds = readable.reduce((most, value) => Math.max(most, Number(value)), 0);
  return Math.min(Math.ceil(seconds * 1_000), MAX_DELAY_MS);
}
