import { parseHttpDateMs } from './http-date.ts';

/** How long a robots.txt is used before it is asked for again, at most (RFC 9309 §2.4). */
export const ROBOTS_TTL_MS = 86_400_000;

/** And at least: a site that lets nothing be cached would double the requests for its pages. Our choice. */
export const ROBOTS_LEAST_TTL_MS = 300_000;

/**
 * How old a robots.txt may be that is used while it can't be read again (RFC 9309 §2.4): seven days, our choice. After
 * that nothing is allowed.
 */
export const ROBOTS_STALE_MS = 7 * 86_400_000;

/** The headers of an answer that say how long it may be kept. */
export interface CacheHeaders {
  readonly cacheControl: readonly string[];
  readonly expires: string | undefined;
  readonly date: string | undefined;
}

/**
 * Milliseconds for which a robots.txt is used: a day, or less where its headers say so (RFC 9111 §5.2, §5.3), but five
 * minutes. `max-age` counts more than `Expires`; what cannot be read says nothing.
 */
export function robotsTtlMs(headers: CacheHeaders, nowMs: number): number {
  const askedMs = maxAgeMs(headers.cacheControl) ?? untilExpiryMs(headers, nowMs);
  return Math.min(Math.max(askedMs ?? ROBOTS_TTL_MS, ROBOTS_LEAST_TTL_MS), ROBOTS_TTL_MS);
}

/** The shortest where there are several; `no-cache` and `no-store` are none at all. */
function maxAgeMs(cacheControl: readonly string[]): number | undefined {
  const directives = cacheControl.flatMap((value) => value.toLowerCase().split(','));
  const ages = directives.flatMap((directive) => {
    const [name = '', value = ''] = directive.split('=').map((part) => part.trim());
    if (name === 'no-cache' || name === 'no-store') return [0];
    const seconds = /^"?(\d+)"?$/u.exec(value)?.[1];
    return name === 'max-age' && seconds !== undefined ? [Number(seconds) * 1_000] : [];
  });
  return ages.length === 0 ? undefined : Math.min(...ages);
}

function untilExpiryMs({ expires, date }: CacheHeaders, nowMs: number): number | undefined {
  if (expires === undefined) return undefined;
  const expiresMs = parseHttpDateMs(expires, nowMs);
  // "0" and the like are invalid, and mean the past.
  if (expiresMs === undefined) return /^\s*(?:0|-1)\s*$/u.test(expires) ? 0 : undefined;
  return expiresMs - (parseHttpDateMs(date ?? '', nowMs) ?? nowMs);
}
