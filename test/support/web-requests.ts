/**
 * One request as the server saw it. Times are monotonic milliseconds (`performance.now()`); a client sees its fetch
 * begin earlier and end later.
 */
export interface SeenRequest {
  /** Host name without port, lower case. */
  readonly host: string;
  /** Path with query. */
  readonly path: string;
  readonly url: string;
  readonly userAgent: string;
  /** `robots` for robots.txt and the files that it is redirected to. */
  readonly purpose: 'robots' | 'page';
  /** Whether the host's robots.txt keeps crawlers from this path. */
  readonly disallowed: boolean;
  readonly startMs: number;
  /** How it ended; `undefined` while it is in flight. */
  readonly ending: Ending | undefined;
}

/** How a request ended. */
export type Ending =
  /** A whole answer was sent. */
  | {
      readonly kind: 'answered';
      readonly endMs: number;
      readonly status: number;
      /** Until when the client was told to stay away by `Retry-After`, in monotonic time. */
      readonly retryAtMs: number | undefined;
      /** The URL that a redirect led to. */
      readonly location: string | undefined;
    }
  /** The server broke the answer off, or sent one that isn't HTTP. */
  | { readonly kind: 'malformed'; readonly endMs: number }
  /** The client closed the connection (or died) before it had a whole answer. */
  | { readonly kind: 'cut'; readonly endMs: number };

/** A request that should not have been made then, and the earlier one that forbade it, if one did. */
export interface Offence {
  readonly earlier: SeenRequest | undefined;
  readonly request: SeenRequest;
  /** One line for people. */
  readonly text: string;
}

/** The status of a whole answer, else `undefined`. */
export function statusOf({ ending }: SeenRequest): number | undefined {
  return ending?.kind === 'answered' ? ending.status : undefined;
}

/** Whether a request got a page: a whole answer with status 200, robots.txt not counted. */
export function isPage(request: SeenRequest): boolean {
  return request.purpose === 'page' && statusOf(request) === 200;
}

/**
 * Whether a request ended with a final answer, as a crawl's page budget counts them (R43): any status but redirects,
 * 429 and 5xx; robots.txt not counted.
 */
export function isFinalAnswer(request: SeenRequest): boolean {
  const status = statusOf(request);
  if (request.purpose !== 'page' || status === undefined) return false;
  return status < 500 && status !== 429 && !REDIRECT_STATUSES.has(status);
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
