import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ROBOTS_LEAST_TTL_MS,
  ROBOTS_TTL_MS,
  robotsTtlMs,
  type CacheHeaders,
} from '../../domain/robots-lifetime.ts';

const NOW = Date.UTC(2026, 7, 1, 12);
const hour = 3_600_000;

function ttl({ cacheControl = [], expires, date }: Partial<CacheHeaders>): number {
  return robotsTtlMs({ cacheControl, expires, date }, NOW);
}

describe('a robots.txt is used', () => {
  test.each([
    { law: 'a day where nothing is said', headers: {}, ms: ROBOTS_TTL_MS },
    {
      law: 'for less where max-age says so',
      headers: { cacheControl: ['public, max-age=7200'] },
      ms: 2 * hour,
    },
    {
      law: 'for no longer than a day',
      headers: { cacheControl: ['max-age=604800'] },
      ms: ROBOTS_TTL_MS,
    },
    {
      law: 'for five minutes at least',
      headers: { cacheControl: ['max-age=0'] },
      ms: ROBOTS_LEAST_TTL_MS,
    },
    {
      law: 'as briefly where it is not to be kept',
      headers: { cacheControl: ['no-store', 'max-age=7200'] },
      ms: ROBOTS_LEAST_TTL_MS,
    },
    {
      law: 'for the shortest of two',
      headers: { cacheControl: ['max-age=7200', 'MAX-AGE="3600"'] },
      ms: hour,
    },
    {
      law: 'without regard to what shared caches do',
      headers: { cacheControl: ['s-maxage=600'] },
      ms: ROBOTS_TTL_MS,
    },
    {
      law: 'without regard to nonsense',
      headers: { cacheControl: ['max-age=soon', 'max-age=-5'] },
      ms: ROBOTS_TTL_MS,
    },
    {
      law: 'until it expires',
      headers: { expires: 'Sat, 01 Aug 2026 15:00:00 GMT' },
      ms: 3 * hour,
    },
    {
      law: 'by the host’s own clock',
      headers: { expires: 'Sat, 01 Aug 2026 20:00:00 GMT', date: 'Sat, 01 Aug 2026 19:00:00 GMT' },
      ms: hour,
    },
    {
      law: 'briefly where it has expired',
      headers: { expires: 'Thu, 19 Nov 1981 08:52:00 GMT' },
      ms: ROBOTS_LEAST_TTL_MS,
    },
    { law: 'or expires at 0', headers: { expires: '0' }, ms: ROBOTS_LEAST_TTL_MS },
    {
      law: 'by max-age where both are given',
      headers: { cacheControl: ['max-age=7200'], expires: '0' },
      ms: 2 * hour,
    },
  ])('$law', ({ headers, ms }) => {
    expect(ttl(headers)).toBe(ms);
  });

  test('never for longer than a day or less than five minutes, whatever the headers say', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^max-age=\d+$/u));
    fc.assert(
      fc.property(fc.array(text), text, text, (cacheControl, expires, date) => {
        const ms = ttl({ cacheControl, expires, date });
        expect(ms).toBeGreaterThanOrEqual(ROBOTS_LEAST_TTL_MS);
        expect(ms).toBeLessThanOrEqual(ROBOTS_TTL_MS);
      }),
    );
  });
});
