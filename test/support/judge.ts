import { performance } from 'node:perf_hooks';

import type { HostRules, PolitenessLaw } from './web-gaps.ts';
import { isPage, type Ending, type SeenRequest } from './web-requests.ts';
import { verdictOn, type Verdict } from './web-verdict.ts';

export type { PolitenessLaw } from './web-gaps.ts';
export type { Ending, Offence, SeenRequest } from './web-requests.ts';
export type { Verdict } from './web-verdict.ts';

/** The part of a crawl that a verdict is wanted on, by the judge's marks; open ends by default. */
export interface Period {
  readonly since?: string;
  readonly until?: string;
}

/**
 * Sees every request that reaches the test web and says whether the crawl was polite. It knows nothing of the
 * crawler, so it stays right across any kill of it.
 */
export class Judge {
  readonly #rulesOf: (host: string) => HostRules;
  #requests: Recorded[] = [];
  #marks = new Map<string, number>();

  constructor(rulesOf: (host: string) => HostRules) {
    this.#rulesOf = rulesOf;
  }

  /**
   * What the crawl did and where it broke the law. With a period, only requests that began in it are judged; what
   * earlier ones forbade still counts.
   */
  verdict({ since, until, ...law }: PolitenessLaw & Period): Verdict {
    const sinceMs = since === undefined ? -Infinity : this.#markMs(since);
    const untilMs = until === undefined ? Infinity : this.#markMs(until);
    return verdictOn(
      this.#requests,
      law,
      this.#rulesOf,
      ({ startMs }) => startMs >= sinceMs && startMs < untilMs,
    );
  }

  /** All requests so far, in the order in which they began. */
  requests(): readonly SeenRequest[] {
    return [...this.#requests];
  }

  /** URLs of the pages answered 200, of all hosts. */
  pages(): ReadonlySet<string> {
    return new Set(this.#requests.filter(isPage).map(({ url }) => url));
  }

  /** URLs of the pages of one host that were answered 200. */
  pagesOf(host: string): ReadonlySet<string> {
    const ofHost = this.#requests.filter((request) => request.host === host);
    return new Set(ofHost.filter(isPage).map(({ url }) => url));
  }

  /** Requests that have not ended yet. */
  inFlight(): readonly SeenRequest[] {
    return this.#requests.filter(({ ending }) => ending === undefined);
  }

  /** Names this instant, for the period of a verdict; the same name again moves it. */
  mark(label: string): void {
    this.#marks.set(label, performance.now());
  }

  /** Forgets everything, as before a crawl that knows no host and no robots.txt. */
  reset(): void {
    this.#requests = [];
    this.#marks.clear();
  }

  /** Takes note of a request; the server calls what it returns once, at the request's end. */
  begin(request: Omit<SeenRequest, 'startMs' | 'ending'>): (ending: Ending) => void {
    const recorded: Recorded = { ...request, startMs: performance.now(), ending: undefined };
    this.#requests.push(recorded);

    return (ending) => {
      recorded.ending = ending;
    };
  }

  #markMs(label: string): number {
    const markMs = this.#marks.get(label);
    if (markMs === undefined) throw new Error(`The judge has no mark ${JSON.stringify(label)}`);
    return markMs;
  }
}

type Recorded = Omit<SeenRequest, 'ending'> & { ending: Ending | undefined };
