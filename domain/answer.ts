import type { FetchOutcome } from './outcome.ts';
import { parseRequestUrl, type RequestUrl } from './request-url.ts';

/** The parts of an HTTP answer that decide its outcome. */
export interface Answer {
  readonly url: RequestUrl;
  readonly status: number;
  /** The raw `Location` header. */
  readonly location?: string | undefined;
  /** The raw `Retry-After` header. */
  readonly retryAfter?: string | undefined;
}

/**
 * What an answer means for its URL (R10, R25, R27, R43). 408 and 425 say "ask again" and count as server errors,
 * though they are 4xx (RFC 9110 §15.5.9, RFC 8470 §5.2). A redirect without a `Location` that can be crawled is a
 * final answer.
 */
export function outcomeOfAnswer({ url, status, location, retryAfter }: Answer): FetchOutcome {
  if (status === 429 || status === 503) return { kind: 'putOff', status, retryAfter };
  if (status >= 500 || status === 408 || status === 425) {
    return {
      kind: 'failed',
      reason: 'serverError',
      status,
      detail: `the server answered ${status}`,
    };
  }

  const target = REDIRECTS.has(status) ? targetOf(url, location) : undefined;
  if (target === undefined) return { kind: 'fetched', status };
  return { kind: 'redirected', status, location: target };
}

/** RFC 9110 §15.4: those that send the client to another URL by themselves. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function targetOf(url: RequestUrl, location: string | undefined): RequestUrl | undefined {
  return location === undefined ? undefined : parseRequestUrl(location, url);
}
