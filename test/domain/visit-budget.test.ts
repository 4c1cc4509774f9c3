import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedPagesPerSecond, visitBudget } from '../../domain/visit-budget.ts';

test('hosts ask for a page each time their fetch and gap have passed', () => {
  const hosts = [
    { fetchMs: 100, gapMs: 900 },
    { fetchMs: 500, gapMs: 4_500 },
  ];

  expect(askedPagesPerSecond(hosts)).toBeCloseTo(1.2);
  expect(askedPagesPerSecond([])).toBe(0);
});

test('a host without fetch time or gap asks for a finite number of pages', () => {
  expect(askedPagesPerSecond([{ fetchMs: 0, gapMs: 0 }])).toBe(1_000);
});

test.each([
  { law: 'a crawl at rest visits for one page', asked: 0, pages: 1 },
  { law: 'so does one of 25 pages a second', asked: 25, pages: 1 },
  { law: 'a little more takes two', asked: 25.1, pages: 2 },
  { law: 'ten times as much takes ten', asked: 250, pages: 10 },
  { law: 'twenty is the most', asked: 100_000, pages: 20 },
])('$law', ({ asked, pages }) => {
  expect(visitBudget(asked)).toEqual({ pages, ms: 60_000 });
});

test('more work never makes visits shorter', () => {
  const asked = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(asked, asked, (a, b) => {
      expect(visitBudget(Math.max(a, b)).pages).toBeGreaterThanOrEqual(
        visitBudget(Math.min(a, b)).pages,
      );
    }),
  );
});
