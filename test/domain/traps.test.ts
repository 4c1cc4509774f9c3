import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TRAP_LIMITS, trapReason, type TrapLimits } from '../../domain/traps.ts';
import { requestUrl } from './request-url-of.ts';

const NOW_MS = Date.UTC(2026, 5, 1);

const reasonOf = (path: string, limits: TrapLimits = DEFAULT_TRAP_LIMITS) =>
  trapReason(requestUrl(`https://a.test${path}`), limits, NOW_MS);

const many = (count: number, part: (n: number) => string, between: string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join(between);

describe('signs of a trap', () => {
  test.each([
    ['more than twenty segments', `/${many(21, (n) => `s${n}`, '/')}`, 'segments'],
    ['a segment three times in a row', '/a/a/a', 'repeatedSegments'],
    ['two segments three times in a row', '/x/a/b/a/b/a/b/', 'repeatedSegments'],
    [
      'five segments three times in a row',
      `/${many(3, () => 'a/b/c/d/e', '/')}/f`,
      'repeatedSegments',
    ],
    ['a run that begins amid another', '/b/a/b/a/b/a/b', 'repeatedSegments'],
    ['thirty-one parameters', `/?${many(31, (n) => `p${n}=1`, '&')}`, 'parameters'],
    ['a parameter three times with one value', '/?a=1&b=2&a=1&a=1', 'repeatedParameters'],
    ['a calendar of years to come', '/calendar/2032/05', 'calendar'],
    ['a calendar of long ago', '/events/month/1950-01', 'calendar'],
    ['a calendar by parameters', '/?view=month&year=2099&month=3', 'calendar'],
    ['a calendar in another language', '/kalender?y=2040', 'calendar'],
  ])('%s', (_, path, reason) => {
    expect(reasonOf(path)).toBe(reason);
  });
});

describe('no signs of a trap', () => {
  test.each([
    ['a home page', '/'],
    ['twenty segments', `/${many(20, (n) => `s${n}`, '/')}`],
    ['a segment twice in a row', '/news/news'],
    ['a segment that comes back', '/en/a/en/b/en/c'],
    ['digits in a row', '/images/0/0/0/0/17.png'],
    ['a list of values under one name', '/?f[]=1&f[]=2&f[]=3&f[]=4'],
    ['a parameter twice', '/?a=1&a=1'],
    ['an old article', '/1851/05/20/great-exhibition'],
    ['an article of a year to come', '/2050/01/what-may-be'],
    ['this year’s calendar', '/calendar/2026/05'],
    ['a calendar a few years away', '/calendar/2030-01'],
    ['a calendar word amid another word', '/yesterday/2099/01'],
    ['a number that looks like a year', '/events/20991231'],
    ['an empty query', '/?'],
  ])('%s', (_, path) => {
    expect(reasonOf(path)).toBeUndefined();
  });
});

test.each([
  ['/a/a/a', 'maxSegmentRepeats'],
  [`/${many(40, (n) => `s${n}`, '/')}`, 'maxSegments'],
  [`/?${many(40, (n) => `p${n}=1`, '&')}`, 'maxParameters'],
  ['/?a&a&a', 'maxParameterRepeats'],
  ['/calendar/2099/01', 'calendarYears'],
])('%s is none where the rule is off', (path, rule) => {
  expect(reasonOf(path)).toBeDefined();
  expect(reasonOf(path, { ...DEFAULT_TRAP_LIMITS, [rule]: null })).toBeUndefined();
});

test('a path that goes on and on is stopped, wherever it began to repeat', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const run = fc.array(word, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), run, (before, repeated) => {
      const path = `/${[...before, ...repeated, ...repeated, ...repeated].join('/')}`;
      expect(['repeatedSegments', 'segments']).toContain(reasonOf(path));
    }),
  );
});

test('no URL makes it throw', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
      trapReason(requestUrl(url), DEFAULT_TRAP_LIMITS, NOW_MS);
    }),
  );
});
