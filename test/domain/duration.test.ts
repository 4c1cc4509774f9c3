import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDurationMs } from '../../domain/duration.ts';

describe('parseDurationMs', () => {
  test.each([
    { text: '250ms', ms: 250 },
    { text: '90s', ms: 90_000 },
    { text: '1h', ms: 3_600_000 },
    { text: '1h30m', ms: 5_400_000 },
    { text: '2d', ms: 172_800_000 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '2 h 5 min', ms: 7_500_000 },
    { text: ' 1H ', ms: 3_600_000 },
    { text: '45', ms: 45_000 },
    { text: '0.5', ms: 500 },
    { text: '0', ms: 0 },
  ])('reads "$text"', ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  test.each([
    '',
    'h',
    '-1h',
    '1x',
    '1h-',
    'one hour',
    '1e3',
    'Infinity',
    '1h,6h',
    '9'.repeat(30),
    `${'9'.repeat(400)}d`,
  ])('"%s" is no duration', (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseDurationMs(text) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('formatDuration', () => {
  test.each([
    { ms: 0, text: '0 ms' },
    { ms: 250.4, text: '250 ms' },
    { ms: 999.9, text: '1 s' },
    { ms: 1_200, text: '1.2 s' },
    { ms: 9_960, text: '10 s' },
    { ms: 45_000, text: '45 s' },
    { ms: 59_900, text: '1 min' },
    { ms: 200_000, text: '3 min 20 s' },
    { ms: 3_599_900, text: '1 h' },
    { ms: 7_500_000, text: '2 h 5 min' },
    { ms: 86_399_000, text: '1 d' },
    { ms: 273_600_000, text: '3 d 4 h' },
    { ms: -1_200, text: '-1.2 s' },
  ])('$ms ms are "$text"', ({ ms, text }) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('can be read again, within what it rounds away', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000_000 }), (ms) => {
        const readMs = parseDurationMs(formatDuration(ms)) ?? -1;

        expect(Math.abs(readMs - ms)).toBeLessThanOrEqual(Math.max(ms / 40, 60));
      }),
    );
  });
});
