import type { FailureReason } from './outcome.ts';

/** Claims without a settle after which a URL is dead, reason `never settled`: it kills workers. */
export const MAX_CLAIMS = 3;

/** Redirects in a chain after which a URL is dead, reason `too many redirects` (R25). */
export const MAX_HOPS = 5;

/**
 * The retry ladder (R27): milliseconds until a URL is due again after its n-th failure, `'dead'` past the last step.
 * Of a fault that lasts, the ladder is its first step only: a second try finds whether it was a slip.
 *
 * `failures` counts this one too. 429, 503 and waits for robots.txt are no failures and don't come here; see
 * `isPutOffTooLong`.
 */
export function retryAfterFailureMs(
  failures: number,
  ladderMs: readonly number[],
  reason: FailureReason,
): number | 'dead' {
  const steps = LASTING.has(reason) ? ladderMs.slice(0, 1) : ladderMs;
  return steps[Math.max(failures, 1) - 1] ?? 'dead';
}

/** Whether a URL that has failed so often will not be asked for again, should it fail once more. */
export function isLastTry(failures: number, ladderMs: readonly number[]): boolean {
  return failures >= ladderMs.length;
}

/** What a host's software or its settings do wrong, which an hour rarely mends; our choice. */
const LASTING: ReadonlySet<FailureReason> = new Set([
  'nameNotFound',
  'tlsFailed',
  'malformedAnswer',
  'undecodable',
]);

/**
 * Whether a URL is given up that has been answered by nothing but 429 and 503 for `putOffMs`: the ladder stands still
 * meanwhile (R27), so that a crawl with one such page would never end.
 */
export function isPutOffTooLong(putOffMs: number, putOffWaitMs: number): boolean {
  return putOffMs >= putOffWaitMs;
}
