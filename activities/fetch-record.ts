import type { FetchRecord } from '../db/settle.ts';
import type { FetchResult } from '../web/fetch-url.ts';
import { plainText } from './plain-text.ts';

/** What a fetch record says beside the answer itself. */
export type RecordExtras = Partial<
  Pick<
    FetchRecord,
    'reason' | 'digest' | 'links' | 'title' | 'noindex' | 'warcFile' | 'warcOffset' | 'warcLength'
  >
>;

/**
 * The record of one fetch as it is written now; every text is made fit for Postgres.
 *
 * @param outcome the word that it is counted under.
 */
export function fetchRecordNow(
  requestUrl: string,
  outcome: string,
  { outcome: came, answer, fetchMs, endedAtMs }: FetchResult,
  extras: RecordExtras = {},
): FetchRecord {
  const failure = came.kind === 'failed' ? `${came.reason}: ${came.detail}` : '';
  return {
    requestUrl,
    fetchedAgoMs: performance.now() - endedAtMs + fetchMs,
    fetchMs: Math.round(fetchMs),
    // Also of an answer that broke off: it is what makes the last failure a page.
    status: answer?.status ?? statusOf(came),
    outcome,
    location: came.kind === 'redirected' ? plainText(came.location) : null,
    contentType: plainText(answer?.contentType ?? ''),
    bodyBytes: answer?.rawBody.byteLength ?? 0,
    truncated: answer?.truncated ?? false,
    digest: null,
    links: 0,
    noindex: false,
    warcFile: null,
    warcOffset: null,
    warcLength: null,
    ...extras,
    reason: plainText(failure || (extras.reason ?? '')),
    title: plainText(extras.title ?? ''),
  };
}

function statusOf(came: FetchResult['outcome']): number | null {
  return came.kind === 'failed' ? (came.status ?? null) : null;
}

/** Why a fetch never came to a request. */
export interface Unsendable {
  readonly reason: 'nameNotFound' | 'nameServerFailed' | 'addressRefused' | 'portRefused';
  readonly detail: string;
}

/** A fetch that never came to a request: its host's name has no address, or none that may be connected to. */
export function unsent(failure: Unsendable): FetchResult {
  return {
    outcome: { kind: 'failed', status: undefined, reason: failure.reason, detail: failure.detail },
    fetchMs: 0,
    endedAtMs: performance.now(),
    answer: undefined,
  };
}

/** The outcome in a word, for the trail that `inspect` shows: a status, or why there is none. */
export function noteOf({ outcome }: FetchResult): string {
  return outcome.kind === 'failed' ? outcome.reason : String(outcome.status);
}
