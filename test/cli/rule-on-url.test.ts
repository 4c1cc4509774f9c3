import { expect, test } from 'vitest';
import { ruleOn } from '../../cli/views/rule-on-url.ts';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { requestUrl } from '../domain/request-url-of.ts';

const SETTINGS = { ...DEFAULT_SETTINGS, scopeRoots: ['a.test'], userAgent: 'Bot/1' };
const NOW_MS = Date.UTC(2026, 5, 1);

test.each([
  ['https://b.test/', 'leaves it out by its scope (host: a.test)'],
  [
    `https://a.test/${'x'.repeat(3_000)}`,
    'leaves it out by its length (3015 characters, at most 2000)',
  ],
  [
    `https://a.test/${'x/y/z/'.repeat(7)}`,
    'leaves it out as a trap: 21 segments, at most 20 are taken',
  ],
  [
    'https://a.test/q/a/b/a/b/a/b',
    'leaves it out as a trap: repeatedSegments, "/a/b" more than 2 times in a row',
  ],
  [
    `https://a.test/?${Array.from({ length: 31 }, (_, n) => `p${n}=1`).join('&')}`,
    'leaves it out as a trap: 31 parameters, at most 30 are taken',
  ],
  [
    'https://a.test/?a=1&a=1&a=1',
    'leaves it out as a trap: repeatedParameters, one of them 3 times, at most 2 are taken',
  ],
  [
    'https://a.test/calendar/2099/01',
    'leaves it out as a trap: calendar, the year 2099 is more than 5 years from now',
  ],
  ['https://a.test/x', 'would take it, but no page fetched so far links to it'],
])('%s: a crawl %s', (url, words) => {
  expect(ruleOn(requestUrl(url), SETTINGS, NOW_MS)).toBe(words);
});

test('a crawl of limited depth says so', () => {
  expect(ruleOn(requestUrl('https://a.test/x'), { ...SETTINGS, depthLimit: 2 }, NOW_MS)).toContain(
    'at a depth below 2 links to it',
  );
});
