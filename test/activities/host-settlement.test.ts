import { describe, expect, test } from 'vitest';
import { debtAfter, settingsAt } from '../../activities/host-settlement.ts';
import { DEFAULT_SETTINGS, type CrawlSettings } from '../../domain/crawl-settings.ts';

const quick: CrawlSettings = { ...DEFAULT_SETTINGS, userAgent: 'T/1', minGapMs: 100, gapFactor: 0 };
const clock = {
  backoffLevel: 0,
  goodAnswers: 0,
  failuresInARow: 0,
  crawlDelayMs: 0,
  policyGapMs: null,
};

describe('settingsAt', () => {
  test.each([
    { addresses: ['127.0.0.1'], minGapMs: 100 },
    { addresses: ['10.1.2.3', '::1'], minGapMs: 100 },
    { addresses: ['93.184.216.34'], minGapMs: 1_000 },
    { addresses: ['127.0.0.1', '93.184.216.34'], minGapMs: 1_000 },
  ])(
    'a gap under a second holds for one’s own hosts only: $addresses',
    ({ addresses, minGapMs }) => {
      expect(settingsAt(quick, clock, addresses).minGapMs).toBe(minGapMs);
    },
  );

  test('a longer gap is nobody’s to shorten', () => {
    const slow = { ...quick, minGapMs: 5_000 };
    expect(settingsAt(slow, clock, ['93.184.216.34'])).toBe(slow);
  });

  test.each([
    { addresses: ['93.184.216.34'], policyGapMs: 5_000, minGapMs: 5_000 },
    { addresses: ['93.184.216.34'], policyGapMs: 20, minGapMs: 1_000 },
    { addresses: ['127.0.0.1'], policyGapMs: 20, minGapMs: 20 },
  ])(
    'the gap of a host’s policy replaces the crawl’s, under a second for one’s own: $policyGapMs at $addresses',
    ({ addresses, policyGapMs, minGapMs }) => {
      const slow = { ...quick, minGapMs: 30_000, gapFactor: 10 };
      const settings = settingsAt(slow, { ...clock, policyGapMs }, addresses);
      expect(settings).toMatchObject({ minGapMs, gapFactor: 0 });
    },
  );
});

describe('debtAfter', () => {
  test('a Retry-After is waited out beside the gap', () => {
    const outcome = { kind: 'putOff', status: 429, retryAfter: '7' } as const;
    const debt = debtAfter(quick, clock, { outcome, fetchMs: 5, endedAtMs: 0 });

    expect(debt.blockMs).toBe(7_000);
    expect(debt.health.backoffLevel).toBe(1);
  });
});
