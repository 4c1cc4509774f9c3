import { gapOffences, gapsIn, type HostRules, type PolitenessLaw } from './web-gaps.ts';
import { overlapsIn, retryAfterViolationsIn } from './web-offences.ts';
import { isFinalAnswer, isPage, type Offence, type SeenRequest } from './web-requests.ts';
import { robotsViolationsIn } from './web-robots.ts';

/** What the judge found. */
export interface Verdict {
  readonly requests: number;
  /** URLs of the pages answered 200. */
  readonly pages: ReadonlySet<string>;
  /** Pages as a crawl's page budget counts them (R43). */
  readonly finalAnswers: number;
  /** A request that began while another to its host was in flight. */
  readonly overlaps: readonly Offence[];
  /** A request sooner than max(minimum, factor × the last request's time) after the last one's end. */
  readonly gapViolations: readonly Offence[];
  /** A disallowed path asked, or a page before its host's robots.txt could be read. */
  readonly robotsViolations: readonly Offence[];
  /** A request before the `Retry-After` of its host's last 429 or 503 was over. */
  readonly retryAfterViolations: readonly Offence[];
  /** Pages answered 200 more than once, and how often. */
  readonly repeats: readonly { readonly url: string; readonly times: number }[];
  /** How late requests were after the instant at which their host's gap was over. */
  readonly lagMs: Percentiles;
  /** One line for each offence against a host, repeats not among them. Empty for a polite crawl. */
  readonly offences: readonly string[];
}

/** The spread of `count` values; zeros when there are none. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Holds requests, in the order in which they began, to the law. `isJudged` picks those on which a verdict is wanted;
 * the others only count for what they forbid.
 */
export function verdictOn(
  requests: readonly SeenRequest[],
  law: PolitenessLaw,
  rulesOf: (host: string) => HostRules,
  isJudged: (request: SeenRequest) => boolean = () => true,
): Verdict {
  const judged = requests.filter(isJudged);
  const hosts = byHost(requests);
  const gaps = hosts
    .flatMap(([host, sequence]) => gapsIn(sequence, law, rulesOf(host)))
    .filter(({ request }) => isJudged(request));

  const of = (offences: readonly Offence[]) => offences.filter(({ request }) => isJudged(request));
  const findings = {
    overlaps: of(hosts.flatMap(([, sequence]) => overlapsIn(sequence))),
    gapViolations: gapOffences(gaps),
    robotsViolations: of(robotsViolationsIn(requests)),
    retryAfterViolations: of(
      hosts.flatMap(([, sequence]) => retryAfterViolationsIn(sequence, law.toleranceMs)),
    ),
  };

  return {
    requests: judged.length,
    pages: new Set(judged.filter(isPage).map(({ url }) => url)),
    finalAnswers: judged.filter(isFinalAnswer).length,
    ...findings,
    repeats: repeatsIn(judged),
    lagMs: percentilesOf(gaps.map(({ gapMs, owedMs }) => Math.max(0, gapMs - owedMs))),
    offences: linesOf(findings),
  };
}

function byHost(
  requests: readonly SeenRequest[],
): readonly (readonly [host: string, sequence: readonly SeenRequest[]])[] {
  const sequences = new Map<string, SeenRequest[]>();
  for (const request of requests) {
    const sequence = sequences.get(request.host);
    if (sequence === undefined) sequences.set(request.host, [request]);
    else sequence.push(request);
  }
  return [...sequences];
}

function repeatsIn(requests: readonly SeenRequest[]): Verdict['repeats'] {
  const times = new Map<string, number>();
  for (const { url } of requests.filter(isPage)) times.set(url, (times.get(url) ?? 0) + 1);

  return [...times].filter(([, count]) => count > 1).map(([url, count]) => ({ url, times: count }));
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

function linesOf(findings: Readonly<Record<string, readonly Offence[]>>): readonly string[] {
  return Object.entries(findings).flatMap(([name, offences]) =>
    offences.map(({ text }) => `${name}: ${text}`),
  );
}
