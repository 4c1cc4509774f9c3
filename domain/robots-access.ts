import type { FetchOutcome } from './outcome.ts';

/**
 * What a fetch of robots.txt entitles us to (RFC 9309 §2.3.1): the file's rules, everything (it is unavailable), or
 * nothing until it can be read (it is unreachable).
 */
export type RobotsAccess = 'rules' | 'allowAll' | 'unreachable';

/** Redirects followed in search of a robots.txt (RFC 9309 §2.3.1.2); after them it counts as unavailable. */
export const ROBOTS_MAX_HOPS = 5;

/**
 * The access that an answer to a request for robots.txt gives (R16), or that one more hop is to be
 * followed first, or that the file is what it was.
 */
export function robotsAccessOf(outcome: FetchOutcome): RobotsAccess | 'redirected' | 'unchanged' {
  switch (outcome.kind) {
    case 'redirected':
    case 'unchanged':
      return outcome.kind;
    case 'putOff':
      return 'unreachable';
    case 'failed':
      // A 408 or 425 is a failure for a page, but a 4xx like others for robots.txt. Half a file is none.
      return outcome.reason === 'serverError' && outcome.status !== undefined
        ? accessOfStatus(outcome.status)
        : 'unreachable';
    case 'fetched':
      return accessOfStatus(outcome.status);
  }
}

/**
 * Milliseconds until an unreachable robots.txt is tried again, after so many tries without success: 10 s, then three
 * times longer each time, up to an hour.
 */
export function robotsPauseMs(tries: number): number {
  return Math.min(10_000 * 3 ** Math.max(tries - 1, 0), 3_600_000);
}

/**
 * A redirect that leads nowhere is as good as no file, so a 3xx counts as unavailable. A part of the file, or word that
 * it hasn't changed, comes here only if nobody asked for it; neither shows what the file forbids.
 */
function accessOfStatus(status: number): RobotsAccess {
  if (status === 206 || status === 304) return 'unreachable';
  if (status >= 200 && status < 300) return 'rules';
  if (status >= 300 && status < 500) return 'allowAll';
  return 'unreachable';
}
