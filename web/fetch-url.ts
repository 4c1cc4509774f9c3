import { validateHeaderValue } from 'node:http';
import { isIP } from 'node:net';
import { isContent, outcomeOfAnswer } from '../domain/answer.ts';
import { isOfType, type MediaRanges } from '../domain/media-type.ts';
import type { AddressAllowance } from '../domain/address-rules.ts';
import type { FailureReason, FetchOutcome } from '../domain/outcome.ts';
import { conditionsOf, type Validators } from '../domain/validators.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import type { Cookies } from './cookies.ts';
import { decodeBody } from './decode-body.ts';
import type { AnswerHead } from './answer-recorder.ts';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { fieldNamed, fieldsNamed } from './header-fields.ts';
import { addOrigin } from './http1-origins.ts';
import type { Http1Origins } from './http1-origins.ts';
import type { HeaderFields } from './header-fields.ts';

/** What to fetch, from where, and within which limits (R26). */
export interface FetchRequest extends AddressAllowance {
  readonly url: RequestUrl;
  readonly userAgent: string;
  /** Of the URL's host, as the resolver found them; an address in the URL itself goes before these. */
  readonly addresses: readonly string[];
  /** For the connection to stand, TLS included. */
  readonly connectTimeoutMs: number;
  /** For the whole page, from the start of the connection to the last byte. */
  readonly pageTimeoutMs: number;
  /** Of the body, both as transferred and as decoded; beyond, it is cut and marked as truncated. */
  readonly maxBodyBytes: number;
  /** Whether a certificate that can't be trusted is taken all the same; no, by default. */
  readonly lenientTls?: boolean | undefined;
  /** HTTP/2 is offered to every origin but these, and one that insists on HTTP/1.1 joins them; absent: to none. */
  readonly http2Except?: Http1Origins | undefined;
  /** Media types whose bodies are not read; none, by default. */
  readonly skipTypes?: MediaRanges | undefined;
  /** Whether a page that is cut short is taken as it came, since nobody will ask for it again. */
  readonly isLastTry?: boolean | undefined;
  /** Those that are sent and taken; none are, by default. */
  readonly cookies?: Cookies | undefined;
  /** Of the answer that we have: asked for again only if it has changed; by default, whatever comes is taken. */
  readonly validators?: Validators | undefined;
  /** Aborted when the host's lease is lost: the connection is closed at once. */
  readonly signal: AbortSignal;
}

/** A host's answer, as far as it arrived. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** Such as `HTTP/1.1` or `HTTP/2`. */
  readonly httpVersion: string;
  /** In the order and spelling in which they were sent, repeated ones repeated. */
  readonly headers: HeaderFields;
  readonly requestHeaders: HeaderFields;
  /** Without the framing of its transfer, still content-encoded. */
  readonly rawBody: Buffer;
  readonly body: Buffer;
  /** Over the limit, closed early, not read, not to be decoded to its end, or only a part to begin with. */
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
  /** Absent where no answer came, or one that is of no use. */
  readonly answer: Answer | undefined;
}

/**
 * One GET of one URL: no redirect followed, no retry, one connection, closed at the end. Whatever the web does is
 * a value in the outcome; only a fault of our own (a user agent that is no header value) rejects.
 */
export async function fetchUrl(request: FetchRequest): Promise<FetchResult> {
  const url = new URL(request.url);
  const requestHeaders = requestHeadersOf(url, request);
  const startedAtMs = performance.now();
  const result = await exchange({
    ...request,
    url,
    addresses: addressesOf(url, request.addresses),
    wantsBody: (head) => !isOfType(contentTypeOf(head), request.skipTypes ?? []),
    offersHttp2: request.http2Except?.has(url.origin) === false,
    headers: requestHeaders.slice(2),
  });
  const endedAtMs = performance.now();
  const fetchMs = endedAtMs - startedAtMs;

  const outcome = outcomeOf(request, result);
  const { head, httpVersion } = result;
  if (reasonOf(outcome) === 'http1Required' && request.http2Except !== undefined) {
    addOrigin(request.http2Except, url.origin);
  }
  if (head !== undefined) request.cookies?.take(url, head.headers);
  if (head === undefined || !HAS_ANSWER.has(reasonOf(outcome))) {
    return { outcome, fetchMs, endedAtMs, answer: undefined };
  }
  const { answer, fault } = await answerOf(
    head,
    result,
    httpVersion === 'HTTP/2' ? withoutConnection(requestHeaders) : requestHeaders,
    request.maxBodyBytes,
  );
  return { outcome: withFault(outcome, fault), fetchMs, endedAtMs, answer };
}

/** Of the other failures nothing is of use. */
const HAS_ANSWER: ReadonlySet<FailureReason | undefined> = new Set([
  undefined,
  'serverError',
  'cutShort',
]);

function reasonOf(outcome: FetchOutcome): FailureReason | undefined {
  return outcome.kind === 'failed' ? outcome.reason : undefined;
}

/** A page that can't be decoded is none; what else a host says, it says by its head. */
function withFault(outcome: FetchOutcome, fault: string | undefined): FetchOutcome {
  if (fault === undefined || outcome.kind !== 'fetched' || !isContent(outcome.status)) {
    return outcome;
  }
  return { kind: 'failed', reason: 'undecodable', status: outcome.status, detail: fault };
}

function requestHeadersOf(
  url: URL,
  { userAgent, cookies, validators }: FetchRequest,
): HeaderFields {
  validateHeaderValue('user-agent', userAgent);
  const cookie = cookies?.headerFor(url);
  return [
    ['host', url.host],
    ['connection', 'close'],
    ['user-agent', userAgent],
    ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['accept-encoding', 'gzip, deflate, br'],
    ...(validators === undefined ? [] : conditionsOf(validators)),
    ...(cookie === undefined ? [] : [['cookie', cookie] as const]),
  ];
}

/** HTTP/2 has no such field (RFC 9113 §8.2.2); `Host` is what it calls `:authority`. */
function withoutConnection(fields: HeaderFields): HeaderFields {
  return fields.filter(([name]) => name !== 'connection');
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
    location: head.location,
    retryAfter: fieldNamed(head, 'retry-after'),
    etag: fieldNamed(head, 'etag'),
    asked: request.validators,
  });
  if (outcome.kind !== 'fetched') return outcome;
  if (end.kind === 'unwanted') return { ...outcome, remark: 'skipped: media type' };
  if (brokenBy === undefined || !isContent(head.status)) return outcome;
  if (rawBody.length === 0) return failed(brokenBy.reason, brokenBy.message);
  return request.isLastTry === true
    ? { ...outcome, remark: 'cut short' }
    : failed('cutShort', brokenBy.message);
}

async function answerOf(
  head: AnswerHead,
  { end, rawBody, httpVersion, remoteAddress }: Exchange,
  requestHeaders: HeaderFields,
  maxBodyBytes: number,
): Promise<{ readonly answer: Answer; readonly fault: string | undefined }> {
  const { body, complete, fault } = await decodeBody(rawBody, codingsOf(head), maxBodyBytes);
  const answer = {
    status: head.status,
    statusText: head.statusText,
    headers: head.headers,
    httpVersion,
    requestHeaders,
    rawBody,
    body,
    truncated: end.kind !== 'complete' || !complete || head.status === 206,
    remoteAddress,
    contentType: contentTypeOf(head),
  };
  return { answer, fault };
}

/** In the order in which they were applied; a transfer may be coded too, beside its chunks (RFC 9112 §7). */
function codingsOf(head: AnswerHead): string {
  const transfer = fieldsNamed(head, 'transfer-encoding')
    .join(',')
    .replace(/\bchunked\b/gi, '');
  return [...fieldsNamed(head, 'content-encoding'), transfer].join(',');
}

function contentTypeOf(head: AnswerHead): string {
  return fieldNamed(head, 'content-type') ?? '';
}
