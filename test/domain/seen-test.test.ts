import { expect, test } from 'vitest';
import { filterReport, isChecked } from '../../domain/seen-test.ts';

test('what was lost is what was left out, times the share of the checked that were new', () => {
  const tally = { entered: 9_000, leftOut: 63_000, checked: 1_000, wrong: 2 };
  expect(filterReport(tally, [9_000])).toMatchObject({
    lost: 126,
    measuredShare: 128 / 9_128,
  });
});

test('nothing is measured until something was checked', () => {
  const tally = { entered: 10, leftOut: 3, checked: 0, wrong: 0 };
  expect(filterReport(tally, [10])).toMatchObject({ lost: 0, measuredShare: null });
});

test('what is expected grows with the load of each filter, up to 0.8 % at the full one', () => {
  const tally = { entered: 0, leftOut: 0, checked: 0, wrong: 0 };
  const expected = (known: readonly number[]): number => filterReport(tally, known).expectedShare;
  expect(expected([])).toBe(0);
  expect(expected([600_000])).toBeLessThan(expected([900_000]));
  expect(expected([2 ** 20 - 1])).toBeCloseTo(0.0082, 4);
  expect(expected([2 ** 20 - 1, 0])).toBeCloseTo(0.0082, 4);
});

test('one in sixty-four is checked', () => {
  expect(isChecked(() => 0)).toBe(true);
  expect(isChecked(() => 0.0156)).toBe(true);
  expect(isChecked(() => 0.0157)).toBe(false);
});
