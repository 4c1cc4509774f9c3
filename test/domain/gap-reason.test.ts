import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gapReason, gapReasonText, timeLeftMs } from '../../domain/gap-reason.ts';
import type { PaceFacts } from '../../domain/gap-reason.ts';
import { politenessGapMs } from '../../domain/gap.ts';

const POLICY = { minGapMs: 1_000, gapFactor: 10, crawlDelayCapMs: 60_000 };

function facts(otherwise: Partial<PaceFacts> = {}): PaceFacts {
  return {
    gapMs: 3_200,
    fetchMs: 320,
    crawlDelayMs: 0,
    backoffLevel: 0,
    failuresInARow: 0,
    blockedUntil: null,
    policy: POLICY,
    policyGapMs: null,
    policyBlock: null,
    ...otherwise,
  };
}

const text = (otherwise: Partial<PaceFacts> = {}): string =>
  gapReasonText(gapReason(facts(otherwise)));

const UNTIL = new Date('2026-08-01T12:00:00Z');

test.each<[said: string, otherwise: Partial<PaceFacts>]>([
  ['10 × 320 ms', {}],
  ['minimum 1 s', { gapMs: 1_000, fetchMs: 20 }],
  ['Crawl-delay 20 s', { gapMs: 20_000, crawlDelayMs: 20_000 }],
  ['Crawl-delay 1 min', { gapMs: 60_000, crawlDelayMs: 900_000 }],
  ['10 × 400 ms, ×4 after 429 or 503', { gapMs: 16_000, fetchMs: 400, backoffLevel: 2 }],
  ['not asked yet', { gapMs: 0, fetchMs: 0 }],
  ['minimum 1 s', { gapMs: 1_000, fetchMs: 20, policy: { ...POLICY, minGapMs: 200 } }],
  ['by earlier settings or robots.txt', { gapMs: 7_777 }],
  [
    'rest after 6 failures until 2026-08-01 12:00:00Z, minimum 1 s',
    { gapMs: 1_000, failuresInARow: 6, blockedUntil: UNTIL },
  ],
  ['Retry-After until 2026-08-01 12:00:00Z, minimum 1 s', { gapMs: 1_000, blockedUntil: UNTIL }],
  ['policy 5 s', { gapMs: 5_000, policyGapMs: 5_000 }],
  ['policy 5 s, ×2 after 429 or 503', { gapMs: 10_000, policyGapMs: 5_000, backoffLevel: 1 }],
  ['Crawl-delay 20 s', { gapMs: 20_000, policyGapMs: 5_000, crawlDelayMs: 20_000 }],
  [
    'policy (hours) until 2026-08-01 12:00:00Z, policy 5 s',
    { gapMs: 5_000, policyGapMs: 5_000, policyBlock: { by: 'hours', until: UNTIL } },
  ],
])('%s', (said, otherwise) => {
  expect(text(otherwise)).toBe(said);
});

test('whatever made a gap, a reason is found that gives it', () => {
  const whole = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(
      whole(5_000),
      whole(20),
      fc.double({ min: 0.01, max: 30_000, noNaN: true }),
      whole(200_000),
      whole(12),
      (minGapMs, gapFactor, fetchMs, crawlDelayMs, backoffLevel) => {
        const policy = { minGapMs, gapFactor, crawlDelayCapMs: 60_000 };
        const gapMs = politenessGapMs(policy, { fetchMs, crawlDelayMs, backoffLevel });
        const stored = { gapMs, fetchMs: Math.round(fetchMs), crawlDelayMs, backoffLevel, policy };
        expect(gapReason(facts(stored)).base.kind).not.toBe('formerRules');
      },
    ),
  );
});

test('the time left is pages times gap', () => {
  expect([timeLeftMs(10, 3_000), timeLeftMs(0, 0), timeLeftMs(4, 0)]).toEqual([30_000, 0, null]);
});
