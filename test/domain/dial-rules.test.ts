import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptMs, dialOrder } from '../../domain/dial-rules.ts';

test.each([
  { has: '', tried: '' },
  { has: 'a', tried: 'a' },
  { has: 'a b', tried: 'a b' },
  { has: 'a ::1', tried: 'a ::1' },
  { has: '::1 a', tried: '::1 a' },
  { has: 'a b c d e ::1 ::2', tried: 'a ::1 b ::2' },
  { has: 'a ::1 ::2 ::3 ::4', tried: 'a ::1 ::2 ::3' },
  { has: '::1 ::2 ::3 ::4 ::5', tried: '::1 ::2 ::3 ::4' },
])('of "$has" are tried "$tried"', ({ has, tried }) => {
  expect(dialOrder(has.split(' ').filter(Boolean)).join(' ')).toBe(tried);
});

test('each address is tried once', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(fc.ipV4(), fc.ipV6())), (addresses) => {
      const tried = dialOrder(addresses);

      expect(new Set(tried).size).toBe(tried.length);
      expect(tried).toHaveLength(Math.min(addresses.length, 4));
      expect(addresses).toEqual(expect.arrayContaining([...tried]));
    }),
  );
});

test.each([
  { leftMs: 5_000, attempts: 1, lengthMs: 5_000 },
  { leftMs: 5_000, attempts: 2, lengthMs: 1_500 },
  { leftMs: 5_000, attempts: 4, lengthMs: 1_250 },
  { leftMs: 20_000, attempts: 4, lengthMs: 1_500 },
  { leftMs: 100, attempts: 2, lengthMs: 50 },
  { leftMs: -1, attempts: 2, lengthMs: 0 },
])(
  'with $leftMs ms left, the first of $attempts attempts may take $lengthMs ms [DNS01]',
  ({ leftMs, attempts, lengthMs }) => {
    expect(attemptMs(leftMs, attempts)).toBe(lengthMs);
  },
);
