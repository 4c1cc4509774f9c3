import { validateHeaderValue } from 'node:http';
import { isIP } from 'node:net';
import { outcomeOfAnswer } from '../domain/answer.ts';
import type { FailureReason, FetchOutcome } from '../domain/outcome.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import { decodeBody } from './decode-body.ts';
import { exchange } from './exchange.ts';
import type { AnswerHead, Exchange, HeaderFields } from './exchange.ts';

/** What to fetch, from where, and within which limits (R26). */
export interface FetchRequest {
  readonly url: RequestUrl;
  readonly userAgent: string;
  /** Of the URL's host, as the resolver found them; an address in the URL itself goes before these. */
  readonly addresses: readonly string[];
  /** Whether loopback, private and other special addresses may be connected to (R29). */
  readonly allowPrivate: boolean;
  /** For the connection to stand, TLS included. */
  readonly connectTimeoutMs: number;
  /** For the whole page, from the start of the connection to the last byte. */
  readonly pageTimeoutMs: number;
  /** Of the body, both as transferred and as decoded; beyond, it is cut and marked as truncated. */
  readonly maxBodyBytes: number;
  /** Aborted when the host's lease is lost: the connection is closed at once. */
  readonly signal: AbortSignal;
}

/** A host's answer, as far as it arrived. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** Such as `HTTP/1.1`. */
  readonly httpVersion: string;
  /** In the order and spelling in which they were sent, repeated ones repeated. */
  readonly headers: HeaderFields;
  readonly requestHeaders: HeaderFields;
  /** Dechunked, still content-encoded. */
  readonly rawBody: Buffer;
  readonly body: Buffer;
  /** Over the limit, closed early, or not to be decoded to its end. */
  readonly truncated: boolean;
  readonly remoteAddress: string;
  /** The raw `Content-Type`; empty if there was none. */
  readonly contentType: string;
}

/** What a fetch came to and how long the host was busy with it. */
export interface FetchResult {
  readonly outcome: FetchOutcome;
  /** From the start of the connection to the end of the body or the failure, by the monotonic clock (R9). */
  readonly fetchMs: number;
  /** The end of the fetch, as `performance.now()` tells it: the politeness gap runs from here. */
  readonly endedAtMs: number;
  /** Absent where the outcome is a failure other than an HTTP status. */
  readonly answer: Answer | undefined;
}

/**
 * One GET of one URL: no redirect followed, no retry, one connection, closed at the end. Whatever the web does is
 * a value in the outcome; only a fault of our own (a user agent that is no header value) rejects.
 */
export async function fetchUrl(request: FetchRequest): Promise<FetchResult> {
  const url = new URL(request.url);
  const requestHeaders = requestHeadersOf(url, request.userAgent);
  const startedAtMs = performance.now();
  const result = await exchange({
    ...request,
    url,
    addresses: addressesOf(url, request.addresses),
    // undici writes the first two itself.
    headers: requestHeaders.slice(2),
  });
  const endedAtMs = performance.now();
  const fetchMs = endedAtMs - startedAtMs;

  const outcome = outcomeOf(request, result);
  const { head } = result;
  const answer =
    head === undefined || (outcome.kind === 'failed' && outcome.reason !== 'serverError')
      ? undefined
      : await answerOf(head, result, requestHeaders, request.maxBodyBytes);
  return { outcome, fetchMs, endedAtMs, answer };
}

function requestHeadersOf(url: URL, userAgent: string): HeaderFields {
  validateHeaderValue('user-agent', userAgent);
  return [
    ['host', url.host],
    ['connection', 'close'],
    ['user-agent', userAgent],
    ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['accept-encoding', 'gzip, deflate, br'],
  ];
}

/** An address in the URL is connected to without a look-up, so it is what the address rules must see. */
function addressesOf(url: URL, resolved: readonly string[]): readonly string[] {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? resolved : [literal];
}

function outcomeOf(request: FetchRequest, { end, head, rawBody }: Exchange): FetchOutcome {
  const failed = (reason: FailureReason, detail: string): FetchOutcome => ({
    kind: 'failed',
    reason,
    status: head?.status,
    detail,
  });
  if (end.kind === 'abandoned') return failed('leaseLost', 'the host lease was lost');
  if (end.kind === 'timedOut') {
    return failed('pageTimeout', `no whole answer within ${request.pageTimeoutMs} ms`);
  }
  const brokenBy = end.kind === 'broken' ? end.failure : undefined;
  if (head === undefined) {
    return brokenBy === undefined
      ? failed('malformedAnswer', 'an answer without a status')
      : failed(brokenBy.reason, brokenBy.message);
  }

  const outcome = outcomeOfAnswer({
    url: request.url,
    status: head.status,
    location: fieldOf(head, 'location'),
    retryAfter: fieldOf(head, 'retry-after'),
  });
  // A page of which nothing came is none; of one that broke off, what came is kept.
  const nothingCame = brokenBy !== undefined && rawBody.length === 0;
  return nothingCame && outcome.kind === 'fetched'
    ? failed(brokenBy.reason, brokenBy.message)
    : outcome;
}

async function answerOf(
  head: AnswerHead,
  { end, rawBody, httpVersion, remoteAddress }: Exchange,
  requestHeaders: HeaderFields,
  maxBodyBytes: number,
): Promise<Answer> {
  const coding = fieldsNamed(head, 'content-encoding').join(',');
  const { body, complete } = await decodeBody(rawBody, coding, maxBodyBytes);
  return {
    ...head,
    httpVersion,
    requestHeaders,
    rawBody,
    body,
    truncated: end.kind !== 'complete' || !complete,
    remoteAddress,
    contentType: fieldOf(head, 'content-type') ?? '',
  };
}

/** The values of all header fields of a name, given in lower case, in their order. */
export function fieldsNamed(
  { headers }: Pick<AnswerHead, 'headers'>,
  name: string,
): readonly string[] {
  return headers.filter(([field]) => field.toLowerCase() === name).map(([, value]) => value);
}

function fieldOf(head: AnswerHead, name: string): string | undefined {
  return fieldsNamed(head, name)[0];
}
