import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { asRequestUrl, parseRequestUrl } from '../../domain/request-url.ts';
import { TRACKING_PARAMETERS, urlKeyOf, type UrlKeyRules } from '../../domain/url-key.ts';
import { requestUrl } from './request-url-of.ts';

const keyOf = (text: string, rules: UrlKeyRules = DEFAULT_SETTINGS): string =>
  urlKeyOf(requestUrl(text), rules);
const NO_RULES: UrlKeyRules = {
  sortQuery: false,
  dropTracking: false,
  dropSessionIds: false,
  dropParameters: [],
  keepParameters: [],
};

describe('urlKeyOf', () => {
  test.each([
    {
      rule: 'a query in any order',
      one: 'https://a.test/?b=2&a=1',
      other: 'https://a.test/?a=1&b=2',
    },
    {
      rule: 'equal names in their order',
      one: 'https://a.test/s?b=2&a=1&b=1',
      other: 'https://a.test/s?a=1&b=2&b=1',
    },
    { rule: 'the port of the scheme', one: 'http://a.test:80/', other: 'http://a.test/' },
    { rule: 'a host in any case', one: 'https://A.TEST/', other: 'https://a.test/' },
    { rule: 'a fragment', one: 'https://a.test/x#y', other: 'https://a.test/x' },
    {
      rule: 'escapes of plain letters',
      one: 'https://a.test/%7E%61?%62=%63',
      other: 'https://a.test/~a?b=c',
    },
    { rule: 'escapes in any case', one: 'https://a.test/%c3%bc', other: 'https://a.test/ü' },
    {
      rule: 'brackets of a query, escaped or not',
      one: 'https://a.test/?f[x]=1',
      other: 'https://a.test/?f%5Bx%5D=1',
    },
    {
      rule: 'a lone percent sign, escaped or not',
      one: 'https://a.test/5%',
      other: 'https://a.test/5%25',
    },
    {
      rule: 'campaign parameters',
      one: 'https://a.test/x?utm_source=n&id=1&UTM_Medium=m',
      other: 'https://a.test/x?id=1',
    },
    { rule: 'click identifiers', one: 'https://a.test/x?gclid=abc', other: 'https://a.test/x' },
    {
      rule: 'an escaped name of one',
      one: 'https://a.test/x?%67clid=abc',
      other: 'https://a.test/x',
    },
  ])('does not tell apart: $rule', ({ one, other }) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  test.each([
    {
      rule: 'equal names in another order',
      one: 'https://a.test/?a=1&a=2',
      other: 'https://a.test/?a=2&a=1',
    },
    { rule: 'schemes', one: 'http://a.test/', other: 'https://a.test/' },
    { rule: 'paths in another case', one: 'https://a.test/A', other: 'https://a.test/a' },
    { rule: 'a slash at the end', one: 'https://a.test/x/', other: 'https://a.test/x' },
    { rule: 'a slash and its escape', one: 'https://a.test/a%2Fb', other: 'https://a.test/a/b' },
    {
      rule: 'a delimiter of a query and its escape',
      one: 'https://a.test/?a=b%26c',
      other: 'https://a.test/?a=b&c',
    },
    { rule: 'a bare question mark', one: 'https://a.test/x?', other: 'https://a.test/x' },
    { rule: 'a name without a value', one: 'https://a.test/?a', other: 'https://a.test/?a=' },
    { rule: 'octets that are no UTF-8', one: 'https://a.test/%E9', other: 'https://a.test/%C3%A9' },
    {
      rule: 'a name that only looks like tracking',
      one: 'https://a.test/?utmost=1',
      other: 'https://a.test/',
    },
  ])('tells apart: $rule', ({ one, other }) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  test('each rule that merges can be switched off', () => {
    const url = requestUrl('https://a.test/?b=1&utm_source=x&a=2');

    expect(urlKeyOf(url, DEFAULT_SETTINGS)).toBe('https://a.test/?a=2&b=1');
    expect(urlKeyOf(url, { ...DEFAULT_SETTINGS, sortQuery: false })).toBe(
      'https://a.test/?b=1&a=2',
    );
    expect(urlKeyOf(url, { ...DEFAULT_SETTINGS, dropTracking: false })).toBe(
      'https://a.test/?a=2&b=1&utm_source=x',
    );
    expect(urlKeyOf(url, NO_RULES)).toBe(url);
  });

  test('leaves an IPv6 host alone', () => {
    expect(keyOf('http://[::1]:8080/a[b]')).toBe('http://[::1]:8080/a%5Bb%5D');
  });

  test('names of the object prototype are names like others', () => {
    expect(keyOf('https://a.test/?constructor=2&__proto__=1')).toBe(
      'https://a.test/?__proto__=1&constructor=2',
    );
  });

  test('tracking parameters are listed in lower case', () => {
    for (const name of TRACKING_PARAMETERS) expect(name).toBe(name.toLowerCase());
  });

  test.each([
    { which: 'by default', rules: DEFAULT_SETTINGS },
    { which: 'without rules', rules: NO_RULES },
  ])('the key of a key is itself, $which', ({ rules }) => {
    const piece = fc.string({
      unit: fc.constantFrom(
        'a',
        'Z',
        '%',
        '2',
        '5',
        '4',
        '1',
        '&',
        '=',
        '?',
        '/',
        '[',
        '|',
        'é',
        "'",
        '.',
      ),
      maxLength: 20,
    });
    fc.assert(
      fc.property(piece, piece, (path, query) => {
        const url = parseRequestUrl(`https://a.test/${path}?${query}`);
        if (url === undefined) return;
        const key = urlKeyOf(url, rules);

        expect(urlKeyOf(asRequestUrl(key), rules)).toBe(key);
        expect(parseRequestUrl(key)).toBe(key);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a query may be shuffled as long as equal names keep their order', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), maxLength: 3 }), fc.nat()),
      {
        selector: ([name]) => name,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(pairs, (sorted) => {
        const query = (list: typeof sorted): string =>
          list.map(([name, value]) => `${name}=${value}`).join('&');

        expect(keyOf(`https://a.test/?${query(sorted.toReversed())}`)).toBe(
          keyOf(`https://a.test/?${query(sorted)}`),
        );
      }),
    );
  });
});
