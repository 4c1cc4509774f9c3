import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, type ClientAnswer } from './web-ask.ts';

/** How long the polite client waits. */
export interface Patience {
  readonly minGapMs: number;
  readonly gapFactor: number;
  /** When an answer is given up. */
  readonly pageTimeoutMs: number;
}

type FetchRobots = (url: string) => Promise<ClientAnswer | undefined>;

/** One host as the polite client serves it: one request at a time, the gap after each, robots.txt first. */
export class PoliteHost {
  readonly #address: string;
  readonly #patience: Patience;
  #lastFetch: Promise<unknown> = Promise.resolve();
  #nextAllowedAt = 0;
  #crawlDelayMs = 0;
  #rules: Promise<RobotsRules | undefined> | undefined;

  constructor(address: string, patience: Patience) {
    this.#address = address;
    this.#patience = patience;
  }

  /** Fetches a page, again while it is put off; `undefined` when it got no answer or robots.txt is against it. */
  async fetchPage(url: string, fetchRobots: FetchRobots): Promise<ClientAnswer | undefined> {
    this.#rules ??= this.#readRules(new URL('/robots.txt', url).href, fetchRobots);
    const rules = await this.#rules;
    if (rules === undefined || !isAllowed(rules, new URL(url).pathname)) return undefined;

    return untilSettled(() => this.fetch(url));
  }

  /** Fetches any URL of the host in its turn; `undefined` when it got no answer. */
  fetch(url: string): Promise<ClientAnswer | undefined> {
    const turn = this.#lastFetch.then(() => this.#fetchNow(url));
    this.#lastFetch = turn;
    return turn;
  }

  async #fetchNow(url: string): Promise<ClientAnswer | undefined> {
    // A timer may fire a little early.
    while (performance.now() < this.#nextAllowedAt) {
      await sleep(Math.ceil(this.#nextAllowedAt - performance.now()));
    }
    const { minGapMs, gapFactor, pageTimeoutMs } = this.#patience;
    const startMs = performance.now();
    const answer = await ask(url, {
      address: this.#address,
      signal: AbortSignal.timeout(pageTimeoutMs),
    }).catch(() => undefined);

    const endMs = performance.now();
    const gapMs = Math.max(minGapMs, gapFactor * (endMs - startMs), this.#crawlDelayMs);
    this.#nextAllowedAt = endMs + Math.max(gapMs, retryAfterMs(answer));
    return answer;
  }

  async #readRules(url: string, fetchRobots: FetchRobots): Promise<RobotsRules | undefined> {
    const answer = await untilSettled(() => fetchRobots(url));
    if (answer === undefined || answer.status >= 500) return undefined;

    const rules = parseRobots(answer.status === 200 ? answer.body : '');
    this.#crawlDelayMs = rules.crawlDelayMs;
    return rules;
  }
}

interface RobotsRules {
  readonly disallowed: readonly string[];
  readonly allowed: readonly string[];
  readonly crawlDelayMs: number;
}

const MOST_TRIES = 4;

async function untilSettled(
  fetch: () => Promise<ClientAnswer | undefined>,
): Promise<ClientAnswer | undefined> {
  let answer = await fetch();
  for (let tries = 1; tries < MOST_TRIES && isPutOff(answer); tries += 1) answer = await fetch();
  return answer;
}

function isPutOff(answer: ClientAnswer | undefined): boolean {
  return answer?.status === 429 || answer?.status === 503;
}

function retryAfterMs(answer: ClientAnswer | undefined): number {
  const value = answer?.headers['retry-after'];
  if (value === undefined) return 0;
  return /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
}

/** Enough for the test web's own files: prefixes of the group for all. */
function parseRobots(text: string): RobotsRules {
  const group = text.slice(Math.max(0, text.indexOf('User-agent: *')));
  const valuesOf = (name: string) =>
    [...group.matchAll(new RegExp(`^${name}: (.+)$`, 'gm'))].map(([, value = '']) => value);

  return {
    disallowed: valuesOf('Disallow'),
    allowed: valuesOf('Allow'),
    crawlDelayMs: Number(valuesOf('Crawl-delay')[0] ?? 0) * 1_000,
  };
}

function isAllowed({ disallowed, allowed }: RobotsRules, path: string): boolean {
  const matches = (prefix: string) => path.startsWith(prefix);
  return allowed.some(matches) || !disallowed.some(matches);
}
