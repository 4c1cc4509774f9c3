import { expect, test } from 'vitest';
import { askPrioritizer, type Prioritizer } from '../../domain/prioritizer.ts';
import { bandChooser } from '../../domain/band-rules.ts';
import { requestUrl } from './request-url-of.ts';

const FACTS = {
  url: 'https://a.test/x.pdf?q=1',
  scheme: 'https',
  host: 'a.test',
  path: '/x.pdf',
  query: '?q=1',
  extension: 'pdf',
  depth: 2,
  foundOn: 'https://a.test/',
  sitemapPriority: 0.8,
  bands: 4,
};

const giving = (value: unknown): Prioritizer => (() => value) as Prioritizer;
const throwing =
  (thrown: unknown): Prioritizer =>
  () => {
    throw thrown;
  };

test.each([1, 4])('%j is a band of four', (band) => {
  expect(askPrioritizer(giving(band), FACTS)).toEqual({ kind: 'band', band });
});

test('undefined leaves the URL to the other rules', () => {
  expect(askPrioritizer(giving(undefined), FACTS)).toEqual({ kind: 'none' });
});

test.each([
  [giving(0), 'it gave 0: it must give a whole number from 1 to 4, or undefined'],
  [giving(5), 'it gave 5:'],
  [giving(1.5), 'it gave 1.5:'],
  [giving(NaN), 'it gave NaN:'],
  [giving('1'), 'it gave "1":'],
  [giving(null), 'it gave null:'],
  [giving(Object.create(null)), 'it gave something that cannot be shown:'],
  [giving(Promise.resolve(1)), 'it gave a promise: it must answer at once'],
  [throwing(new TypeError('no\nway\0')), 'it threw TypeError: no way '],
  [throwing(undefined), 'it threw undefined'],
  [throwing(new Error('x'.repeat(9_999))), `it threw Error: ${'x'.repeat(193)}`],
])('anything else is a fault, told on one line: %#', (rule, said) => {
  const answer = askPrioritizer(rule, FACTS);
  expect(answer).toMatchObject({ kind: 'fault', fault: expect.stringContaining(said) as string });
  expect(JSON.stringify(answer)).not.toMatch(/\\[nu]/u);
});

test('the module is told everything that is known, and comes before the rules', () => {
  const asked: unknown[] = [];
  const rule: Prioritizer = (facts) => {
    asked.push(facts);
    return facts.depth === 2 ? 4 : undefined;
  };
  const choose = bandChooser(
    { bands: 4, priority: ['host:a.test=3'] },
    { file: '/rules/mine.js', rule },
  );
  const url = requestUrl(FACTS.url);
  const { foundOn, sitemapPriority } = FACTS;

  expect(choose({ url, depth: 2, foundOn, sitemapPriority })).toEqual({
    band: 4,
    rule: '--prioritizer /rules/mine.js',
  });
  expect(choose({ url, depth: 1 })).toEqual({ band: 3, rule: 'host:a.test=3' });
  expect(asked[0]).toEqual(FACTS);
});

test('a fault costs a URL nothing but its place: the other rules go', () => {
  const broken = { file: '/rules/mine.js', rule: throwing('no') };
  const url = requestUrl('https://a.test/x');
  const fault = 'it threw "no"';

  expect(bandChooser({ bands: 3, priority: ['path:/x=3'] }, broken)({ url, depth: 1 })).toEqual({
    band: 3,
    rule: 'path:/x=3',
    fault,
  });
  expect(bandChooser({ bands: 3, priority: [] }, broken)({ url, depth: 1 })).toEqual({
    band: 2,
    fault,
  });
});
