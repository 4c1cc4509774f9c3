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
];

const evidence = fc.record({
  url: fc.constantFrom(...URLS).map(requestUrl),
  depth: fc.nat({ max: 6 }),
  bands: fc.integer({ min: 1, max: 8 }),
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
  'path:/x=1 ',
])('%j is no rule with a band', (text) => {
  expect(parseBandRule(text)).toBeUndefined();
});
