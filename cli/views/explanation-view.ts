import type { HostExplanation, UrlExplanation } from '../../db/explain.ts';
import { formatDuration } from '../../domain/duration.ts';
import { gapReasonText } from '../../domain/gap-reason.ts';
import { policyText } from '../../domain/host-policy.ts';
import type { RobotsAccess } from '../../domain/robots-access.ts';
import { harmless } from './ansi.ts';
import { counted, instant } from './quantities.ts';

/** Why a URL is where it is, in one screen (R45). */
export function urlLines(url: UrlExplanation, nowMs: number): readonly string[] {
  return table(url.url, [
    ['crawl', url.crawl],
    ['state', url.reason === null ? url.state : `${url.state}: ${url.reason}`],
    [
      'place',
      `band ${bandText(url)}, ${counted(url.depth, 'link')} from a seed` +
        (url.foundOn === null ? '' : `, found on ${url.foundOn}`) +
        (url.sitemapPriority === null ? '' : ` with priority ${url.sitemapPriority}`),
    ],
    ['due', url.dueAt === null ? 'never again' : when(url.dueAt, nowMs)],
    [
      'failures',
      `${counted(url.failures, 'failure')}, ${counted(url.claims, 'claim')} without a settle`,
    ],
    ['robots', url.robots],
    ['host', `${url.host.host}, ${url.host.state}: ${url.host.reason}`],
    ...(url.host.hold === null ? [] : [['hold', holdText(url.host.hold, nowMs)] as const]),
    ...url.fetches.map((fetch) => ['fetch', fetchText(fetch)] as const),
    ...(url.fetches.length === 0 ? [['fetch', 'none yet'] as const] : []),
  ]);
}

function bandText({ band, bandByRules: now }: UrlExplanation): string {
  const by = now.rule === undefined ? 'the default rule' : `the rule ${now.rule}`;
  const fault = now.fault === undefined ? '' : `; the prioritizer is at fault: ${now.fault}`;
  return now.band === band
    ? `${band} by ${by}${fault}`
    : `${band} by the rules of its time (${now.band} by ${by} as now set${fault})`;
}

/** Why a host is or is not fetched from, in one screen (R45). */
export function hostLines(host: HostExplanation, nowMs: number): readonly string[] {
  const { blockedUntil, hold, policy, lastFetch } = host;
  return table(host.host, [
    ['state', `${host.state}: ${host.reason}`],
    ...(hold === null ? [] : [['hold', holdText(hold, nowMs)] as const]),
    ...(policy === null ? [] : [['policy', `${policyText(policy)} (${policy.subject})`] as const]),
    ['next', `allowed ${when(host.nextAllowedAt, nowMs)}`],
    ['gap', `${formatDuration(host.gapMs)}: ${gapReasonText(host.gapReason)}`],
    ...(blockedUntil === null ? [] : [['blocked', `until ${when(blockedUntil, nowMs)}`] as const]),
    ['URLs', `${host.queued} queued, ${host.assigned} assigned`],
    ...Object.entries(host.leftOut).map(
      ([rule, links]) => ['left out', `${counted(links, 'link')} by ${rule}`] as const,
    ),
    ...host.robots.map(
      ({ origin, access, fetchedAt, retryAt }) =>
        [
          'robots',
          `${origin}/robots.txt: ${access === null ? 'not read yet' : ACCESS[access]}` +
            (fetchedAt === null ? '' : `, fetched ${when(fetchedAt, nowMs)}`) +
            (retryAt === null ? '' : `, again ${when(retryAt, nowMs)}`),
        ] as const,
    ),
    ['fetch', lastFetch === null ? 'none yet' : `${lastFetch.url} ${fetchText(lastFetch)}`],
  ]);
}

const ACCESS: Readonly<Record<RobotsAccess, string>> = {
  rules: 'its rules hold',
  allowAll: 'unavailable, everything is allowed',
  unreachable: 'unreachable, nothing is allowed',
};

/** An instant with its distance from now: `2026-08-01 12:00:00Z (in 5 min)`. */
export function when(at: Date, nowMs: number): string {
  const aheadMs = at.getTime() - nowMs;
  if (Math.abs(aheadMs) < 1_000) return `${instant(at)} (now)`;
  const distance = formatDuration(Math.abs(aheadMs));
  return `${instant(at)} (${aheadMs > 0 ? `in ${distance}` : `${distance} ago`})`;
}

function holdText(hold: NonNullable<HostExplanation['hold']>, nowMs: number): string {
  const until = hold.until === null ? 'until resumed' : `until ${when(hold.until, nowMs)}`;
  return `by ${hold.who}, "${hold.why}", since ${when(hold.since, nowMs)}, ${until}`;
}

function fetchText({
  at,
  status,
  outcome,
  reason,
  fetchMs,
}: UrlExplanation['fetches'][number]): string {
  const answer = status === null ? 'no answer' : `status ${status}`;
  const because = reason === null ? '' : ` (${reason})`;
  return `${instant(at)} ${outcome}${because}, ${answer}, took ${formatDuration(fetchMs)}`;
}

/** A title, and below it rows of a label and what is said. */
export function table(
  title: string,
  rows: readonly (readonly [string, string])[],
): readonly string[] {
  return [title, ...rows.map(([label, said]) => `  ${label.padEnd(9)} ${said}`)].map(harmless);
}
