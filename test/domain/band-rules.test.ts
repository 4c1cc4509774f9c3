import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandOf } from '../../domain/band.ts';
import { bandRulesOf, chooseBand, parseBandRule } from '../../domain/band-rules.ts';
import { requestUrl } from './request-url-of.ts';

const URLS = [
  'https://a.test/',
  'https://a.test/blog/x',
  'https://b.test/x.pdf',
  'http://c.test/?q=1',
];
const RULES = [
  'path:/blog/*=1',
  'host:b.test=3',
  'scheme:https=2',
  'depth:>2=4',
  'http://*?q=1=1',
  'ext:pdf=8',
  'sitemap:0.5=5',
];

const evidence = fc.record({
  url: fc.constantFrom(...URLS).map(requestUrl),
  depth: fc.nat({ max: 6 }),
  bands: fc.integer({ min: 1, max: 8 }),
  sitemapPriority: fc.constantFrom(undefined, 0, 0.5, 1),
});
const written = fc.array(fc.constantFrom(...RULES), { maxLength: 6 });

test('the first rule that fits gives the band; without one it is the default rule', () => {
  fc.assert(
    fc.property(evidence, written, (given, rules) => {
      const alone = (text: string) => chooseBand(given, bandRulesOf([text]));
      const first = rules.find((text) => alone(text).rule !== undefined);

      expect(chooseBand(given, bandRulesOf(rules))).toEqual(
        first === undefined ? { band: bandOf(given) } : alone(first),
      );
    }),
  );
});

test('every URL gets a band that the crawl has, by any rules', () => {
  fc.assert(
    fc.property(evidence, written, (given, rules) => {
      const { band } = chooseBand(given, bandRulesOf(rules));

      expect(band).toBeGreaterThanOrEqual(1);
      expect(band).toBeLessThanOrEqual(given.bands);
    }),
  );
});

test('a rule names its band behind the last "="', () => {
  const rule = parseBandRule('http://*?q=1=2');

  expect([rule?.rule.text, rule?.band, rule?.text]).toEqual(['http://*?q=1', 2, 'http://*?q=1=2']);
});

test.each([
  'path:/x',
  'path:/x=',
  'path:/x=0',
  'path:/x=9',
  'path:/x=12',
  '=1',
  'nonsense=1',
  'sitemap:1.1=1',
  'sitemap:high=1',
  'sitemap:=1',
  'path:/x=1 ',
])('%j is no rule with a band', (text) => {
  expect(parseBandRule(text)).toBeUndefined();
});

test.each([
  ['sitemap:0.8=1', 0.8, 1],
  ['sitemap:.8=1', 0.9, 1],
  ['sitemap:0.8=1', 0.79, 2],
  ['sitemap:0.8=1', undefined, 2],
  ['sitemap:0=1', 0, 1],
  ['sitemap:1.0=1', 1, 1],
])('%s puts a page of priority %j into band %j', (text, sitemapPriority, band) => {
  const url = requestUrl('https://a.test/x');
  const given = { url, depth: 1, bands: 3, sitemapPriority };
  expect(chooseBand(given, bandRulesOf([text])).band).toBe(band);
});
