/** Why a fetch got no usable answer. Stored in `fetch_record.reason` and shown by `why`. */
export type FailureReason =
  | 'nameNotFound'
  | 'nameServerFailed'
  | 'addressRefused'
  | 'portRefused'
  | 'connectFailed'
  | 'connectTimeout'
  | 'tlsFailed'
  | 'pageTimeout'
  | 'malformedAnswer'
  | 'undecodable'
  | 'connectionLost'
  | 'http1Required'
  | 'cutShort'
  | 'serverError'
  | 'leaseLost';

/** What is to be said of a page beside its status. Stored in `fetch_record.reason` and shown by `why`. */
export type PageRemark =
  | 'sitemap'
  | 'skipped: media type'
  | 'cut short'
  | 'partial content'
  | 'redirect without a Location'
  | 'redirect to no web address';

/** Which rule kept a URL from being fetched. */
export type ExclusionRule =
  | 'robots'
  | 'scope'
  | 'depth'
  | 'length'
  | 'segments'
  | 'repeatedSegments'
  | 'parameters'
  | 'repeatedParameters'
  | 'calendar'
  | 'nofollow'
  | 'address'
  | 'port'
  | 'hostQueue'
  | 'policy'
  | 'include'
  | `rule ${string}`;

/** Why a URL is given up: for a week in a continuous crawl, for good in a one-shot crawl. */
export type DeadReason =
  | 'retries spent'
  | 'put off too long'
  | 'too many redirects'
  | 'robots unreachable'
  | 'never settled';

/**
 * What became of one fetch of a page, a redirect hop or a robots.txt. The web misbehaves as a matter of
 * course, so its answers are values; only our own faults (a lost database, a bug) are thrown.
 *
 * - `fetched`: a final answer of any status but those below; counts as a page (R43).
 * - `unchanged`: a 304 to a request that named what we have; counts as a page (R31).
 * - `redirected`: 301, 302, 303, 307 or 308 with a usable `Location`; one hop (R25).
 * - `putOff`: 429 or 503; the URL waits for its host and its retry ladder stands still (R10, R27), for a settable time.
 * - `failed`: no whole answer, or another 5xx; the URL climbs its retry ladder (R27).
 */
export type FetchOutcome =
  | {
      readonly kind: 'fetched';
      readonly status: number;
      readonly remark?: PageRemark;
    }
  | { readonly kind: 'unchanged'; readonly status: 304 }
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string }
  | {
      readonly kind: 'putOff';
      readonly status: 429 | 503;
      /** The raw `Retry-After` header, if any. */
      readonly retryAfter: string | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly status: number | undefined;
      /** One line for people, from the socket or the parser. */
      readonly detail: string;
    };
