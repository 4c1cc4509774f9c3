import type { FetchOutcome } from './outcome.ts';
import { isOfAnother, type Validators } from './validators.ts';
import { parseRequestUrl, type RequestUrl } from './request-url.ts';

/** The parts of an HTTP answer that decide its outcome. */
export interface Answer {
  readonly url: RequestUrl;
  readonly status: number;
  /** The first `Location` header, with bytes that are no UTF-8 percent-encoded. */
  readonly location?: string | undefined;
  /** The raw `Retry-After` header. */
  readonly retryAfter?: string | undefined;
  /** The raw `ETag` header. */
  readonly etag?: string | undefined;
  /** Those that were sent; absent where the request was without a condition. */
  readonly asked?: Validators | undefined;
}

/**
 * What an answer means for its URL (R10, R25, R27, R43). 408 and 425 say "ask again" and count as server errors,
 * though they are 4xx (RFC 9110 §15.5.9, RFC 8470 §5.2), and so does what lies above 599 (RFC 9110 §15). A redirect
 * without a `Location` that can be crawled is a final answer. No other status is special: no credentials are ever
 * sent, so 401 and 407 are final, and a 304 or a 206 that nobody asked for is a page without or with a part of its
 * content. A 304 that names another version than the one asked about tells nothing of either.
 */
export function outcomeOfAnswer({
  url,
  status,
  location,
  retryAfter,
  etag,
  asked,
}: Answer): FetchOutcome {
  if (status === 429 || status === 503) return { kind: 'putOff', status, retryAfter };
  if (status >= 500 || status === 408 || status === 425) {
    return {
      kind: 'failed',
      reason: 'serverError',
      status,
      detail: `the server answered ${status}`,
    };
  }
  if (REDIRECTS.has(status)) return outcomeOfRedirect(url, status, location?.trim() ?? '');
  if (status === 304 && asked !== undefined) return outcomeOf304(asked, etag);
  if (status === 206) return { kind: 'fetched', status, remark: 'partial content' };
  return { kind: 'fetched', status };
}

function outcomeOf304(asked: Validators, etag: string | undefined): FetchOutcome {
  if (!isOfAnother(asked, etag)) return { kind: 'unchanged', status: 304 };
  const detail = `a 304 for ${etag ?? ''}, not for ${asked.etag ?? ''}`;
  return { kind: 'failed', reason: 'malformedAnswer', status: 304, detail };
}

/** Whether an answer of this status says what the resource is, so that it is worth asking for the whole of it. */
export function isContent(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Answers of these have no body, whatever their header says (RFC 9110 §15.3.5, §15.4.5). */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** RFC 9110 §15.4: those that send the client to another URL by themselves. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function outcomeOfRedirect(url: RequestUrl, status: number, location: string): FetchOutcome {
  if (location === '') return { kind: 'fetched', status, remark: 'redirect without a Location' };
  const target = parseRequestUrl(location, url);
  return target === undefined
    ? { kind: 'fetched', status, remark: 'redirect to no web address' }
    : { kind: 'redirected', status, location: target };
}
