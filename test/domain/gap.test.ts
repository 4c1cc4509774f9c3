import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DOUBLED_GAP_CAP_MS, politenessGapMs } from '../../domain/gap.ts';

const policy = { minGapMs: 1_000, gapFactor: 10, crawlDelayCapMs: 60_000 };

describe('politenessGapMs', () => {
  test.each([
    { rule: 'grows tenfold with the fetch', fetchMs: 400, gapMs: 4_000 },
    { rule: 'never falls under the floor', fetchMs: 5, gapMs: 1_000 },
    { rule: 'owes a slow host a long rest', fetchMs: 20_000, gapMs: 200_000 },
    { rule: 'honours a longer Crawl-delay', fetchMs: 5, crawlDelayMs: 9_000, gapMs: 9_000 },
    { rule: 'is not shortened by a Crawl-delay', fetchMs: 400, crawlDelayMs: 100, gapMs: 4_000 },
    { rule: 'caps an absurd Crawl-delay', fetchMs: 5, crawlDelayMs: 86_400_000, gapMs: 60_000 },
    { rule: 'doubles with each level of backoff', fetchMs: 5, backoffLevel: 3, gapMs: 8_000 },
    {
      rule: 'doubles a Crawl-delay too',
      fetchMs: 5,
      crawlDelayMs: 9_000,
      backoffLevel: 1,
      gapMs: 18_000,
    },
    { rule: 'ends doubling at an hour', fetchMs: 400, backoffLevel: 12, gapMs: 3_600_000 },
    {
      rule: 'never takes from a gap above an hour',
      fetchMs: 400_000,
      backoffLevel: 2,
      gapMs: 4_000_000,
    },
    { rule: 'is of whole milliseconds, rounded up', fetchMs: 100.04, gapMs: 1_001 },
  ])('$rule', ({ gapMs, ...timing }) => {
    expect(politenessGapMs(policy, timing)).toBe(gapMs);
  });

  const durationMs = fc.nat({ max: 10_000_000 });
  const timings = fc.record({
    fetchMs: durationMs,
    crawlDelayMs: durationMs,
    backoffLevel: fc.nat({ max: 12 }),
  });

  test.each(['fetchMs', 'crawlDelayMs', 'backoffLevel'] as const)(
    'never shrinks as %s grows',
    (name) => {
      fc.assert(
        fc.property(timings, fc.nat({ max: 1_000 }), (timing, more) => {
          const grown = { ...timing, [name]: timing[name] + more };

          expect(politenessGapMs(policy, grown)).toBeGreaterThanOrEqual(
            politenessGapMs(policy, timing),
          );
        }),
      );
    },
  );

  test('is never below what the fetch owes, and above the cap of doubling only if the fetch is', () => {
    fc.assert(
      fc.property(timings, (timing) => {
        const gapMs = politenessGapMs(policy, timing);
        const owedMs = politenessGapMs(policy, { ...timing, backoffLevel: 0 });

        expect(gapMs).toBeGreaterThanOrEqual(owedMs);
        expect(gapMs).toBeLessThanOrEqual(Math.max(owedMs, DOUBLED_GAP_CAP_MS));
      }),
    );
  });
});
