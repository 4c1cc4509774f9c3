import { expect, test } from 'vitest';
import { pagesPerSecond, withSample } from '../../cli/views/page-rate.ts';
import type { PageSample } from '../../cli/views/page-rate.ts';

const every = (pages: readonly number[]): readonly PageSample[] =>
  pages.reduce<readonly PageSample[]>(
    (samples, n, second) => withSample(samples, { atMs: second * 1_000, pages: n }),
    [],
  );

test('one look gives no rate', () => {
  expect(pagesPerSecond(every([40]))).toBeUndefined();
});

test('pages of an earlier run count for no rate', () => {
  expect(pagesPerSecond(every([1_000, 1_010]))).toBe(10);
});

test('only the last ten seconds count', () => {
  const fastThenStill = [0, 500, 1_000, ...Array.from({ length: 12 }, () => 1_000)];

  expect(pagesPerSecond(every(fastThenStill))).toBe(0);
  expect(every(fastThenStill).length).toBeLessThanOrEqual(12);
});

test('a gap in the samples is no gap in the rate', () => {
  const samples = withSample(every([0, 10]), { atMs: 61_000, pages: 610 });

  expect(pagesPerSecond(samples)).toBe(10);
});
