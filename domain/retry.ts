/** Claims without a settle after which a URL is dead, reason `never settled`: it kills workers. */
export const MAX_CLAIMS = 3;

/** Redirects in a chain after which a URL is dead, reason `too many redirects` (R25). */
export const MAX_HOPS = 5;

/**
 * The retry ladder (R27): milliseconds until a URL is due again after its n-th failure, `'dead'` past the last step.
 *
 * `failures` counts this one too. 429, 503 and waits for robots.txt are no failures and don't come here.
 */
export function retryAfterFailureMs(
  failures: number,
  ladderMs: readonly number[],
): number | 'dead' {
  return ladderMs[Math.max(failures, 1) - 1] ?? 'dead';
}
