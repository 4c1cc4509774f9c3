import type { ClaimedUrl } from '../db/claim.ts';
import type { FoundLink, OutboxRow, UrlSettlement } from '../db/settle.ts';
import type { FailureReason, FetchOutcome } from '../domain/outcome.ts';
import { byShard } from '../db/outbox.ts';
import { redirectExclusion } from './found-links.ts';
import { isNamedSitemap } from './sitemaps.ts';
import { parseRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import { isPutOffTooLong, MAX_HOPS, retryAfterFailureMs } from '../domain/retry.ts';
import { urlKeyOf } from '../domain/url-key.ts';
import { selectionExclusion, selectionText, urlSelectionOf } from '../domain/url-selection.ts';

/** What becomes of a URL: its next state, and what the one writer is told of it. */
export interface Verdict {
  readonly url: UrlSettlement;
  /** As counted in progress: `fetched`, `unchanged`, `redirected`, `put off`, `failed`, `excluded`, `dead`. */
  readonly outcome: string;
  /** Whether it counts as a page (R43). */
  readonly isPage: boolean;
  /** Where a redirect leads, as a URL of its own. */
  readonly target: RequestUrl | null;
}

/**
 * The URL's fate after an outcome (R25, R27, R43). A redirect to the same URL key never meets the seen test: it only
 * changes the request URL.
 *
 * @param owedMs how long the host is to be left alone; a URL that was put off is due again then.
 */
export function verdictOf(url: ClaimedUrl, outcome: FetchOutcome, owedMs: number): Verdict {
  switch (outcome.kind) {
    case 'fetched':
      return ended(url, 'done', 'fetched', outcome.remark ?? null, true);
    case 'unchanged':
      return ended(url, 'done', 'unchanged', null, true);
    case 'redirected':
      return redirected(url, outcome.location);
    case 'putOff':
      return putOff(url, owedMs, true);
    case 'failed':
      if (outcome.reason === 'leaseLost')
        return again(url, 'put off', { dueInMs: 0, failures: url.failures });
      if (outcome.reason === 'http1Required') return putOff(url, owedMs, false);
      if (outcome.reason === 'addressRefused')
        return ended(url, 'excluded', 'excluded', `address: ${outcome.detail}`, false);
      if (outcome.reason === 'portRefused')
        return ended(url, 'excluded', 'excluded', `port: ${outcome.detail}`, false);
      return failed(url, outcome.reason, outcome.status !== undefined);
  }
}

/** A URL that is given up or refused without a request. */
export function ended(
  url: ClaimedUrl,
  state: 'done' | 'dead' | 'excluded',
  outcome: string,
  reason: string | null,
  isPage: boolean,
): Verdict {
  const { keyHash, requestUrl, hops } = url;
  return {
    url: {
      keyHash,
      requestUrl,
      hops,
      state,
      failures: url.failures,
      dueInMs: 0,
      reason,
      reserved: false,
    },
    outcome,
    isPage,
    target: null,
  };
}

/** Excluded by the crawl's rules of now, though it was queued when they were others. */
export function excludedByRule(url: ClaimedUrl): Verdict | undefined {
  const selection = urlSelectionOf({ excludes: url.settings.excludes });
  const rule = selectionExclusion(url.requestUrl, url.depth, selection);
  return rule && ended(url, 'excluded', 'excluded', selectionText(rule), false);
}

/** A URL whose answer could not be kept: as it was, and due again. */
export function unkept(
  { keyHash, requestUrl, hops, failures, reserved }: ClaimedUrl,
  dueInMs: number,
): UrlSettlement {
  const reason = 'the page could not be stored';
  return { keyHash, requestUrl, hops, state: 'assigned', failures, dueInMs, reason, reserved };
}

/** Only lets the prioritizer look at the host's standing anew. */
export const TOUCH: OutboxRow = {
  outcome: null,
  bytes: 0,
  settled: 0,
  released: 0,
  foundOn: null,
  links: [],
  elsewhere: [],
};

function again(
  { keyHash, requestUrl, hops }: ClaimedUrl,
  outcome: string,
  { dueInMs, failures }: { readonly dueInMs: number; readonly failures: number },
  reason: string | null = null,
): Verdict {
  return {
    url: {
      keyHash,
      requestUrl,
      hops,
      state: 'assigned',
      failures,
      dueInMs,
      reason,
      reserved: false,
    },
    outcome,
    isPage: false,
    target: null,
  };
}

function putOff(url: ClaimedUrl, owedMs: number, wasAnswered: boolean): Verdict {
  if (isPutOffTooLong(url.putOffMs, url.settings.putOffWaitMs)) {
    return ended(url, 'dead', 'dead', 'put off too long', wasAnswered);
  }
  const { failures } = url;
  const verdict = again(url, 'put off', { dueInMs: Math.max(owedMs, 0), failures });
  return { ...verdict, url: { ...verdict.url, isPutOff: true } };
}

function failed(url: ClaimedUrl, reason: FailureReason, wasAnswered: boolean): Verdict {
  const failures = url.failures + 1;
  const dueInMs = retryAfterFailureMs(failures, url.settings.retryLadderMs, reason);
  if (dueInMs === 'dead') {
    return ended({ ...url, failures }, 'dead', 'dead', `retries spent: ${reason}`, wasAnswered);
  }
  return again(url, 'failed', { dueInMs, failures }, reason);
}

function redirected(url: ClaimedUrl, location: string): Verdict {
  const target = parseRequestUrl(location);
  if (target === undefined)
    return ended(url, 'done', 'fetched', 'redirect to no web address', true);
  if (url.hops + 1 > MAX_HOPS) return ended(url, 'dead', 'dead', 'too many redirects', false);
  if (urlKeyOf(target, url.settings) !== urlKeyOf(url.requestUrl, url.settings)) {
    const rule = redirectExclusion(url, target);
    const reason = rule === undefined ? null : `redirect excluded: ${rule}`;
    return { ...ended(url, 'done', 'redirected', reason, false), target };
  }
  const moved = again({ ...url, requestUrl: target, hops: url.hops + 1 }, 'redirected', {
    dueInMs: 0,
    failures: url.failures,
  });
  return moved;
}

/** What the one writer is told: the outcome, the page or reservation to count, and what was found. */
export function outboxRowOf(
  url: ClaimedUrl,
  { outcome, isPage }: Verdict,
  {
    bytes,
    links,
    leftOut = {},
  }: {
    readonly bytes: number;
    readonly links: readonly FoundLink[];
    readonly leftOut?: Readonly<Record<string, number>>;
  },
): OutboxRow {
  return {
    outcome,
    bytes,
    settled: isPage ? 1 : 0,
    released: url.reserved ? 1 : 0,
    // A redirect of a sitemap leads to a sitemap.
    foundOn: isNamedSitemap(url) ? url.foundOn : url.requestUrl,
    ...(Object.keys(leftOut).length > 0 && { leftOut }),
    ...inRows(links, url.settings.shards),
  };
}

/** Each shard has a writer of its own, who takes no more than its own links. */
function inRows(
  links: readonly FoundLink[],
  shards: number,
): Pick<OutboxRow, 'links' | 'elsewhere'> {
  return shards === 1 ? { links, elsewhere: [] } : { links: [], elsewhere: byShard(links, shards) };
}
