import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { asRequestUrl, parseRequestUrl } from '../../domain/request-url.ts';
import { TRACKING_PARAMETERS, urlKeyOf, type UrlKeyRules } from '../../domain/url-key.ts';
import { hostileUrl } from './hostile-url.ts';
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
      rule: 'equal names in their order [URL32]',
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
      rule: 'equal names in another order [URL32]',
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

  test('names of the object prototype are names like others [SEC14]', () => {
    expect(keyOf('https://a.test/?constructor=2&__proto__=1')).toBe(
      'https://a.test/?__proto__=1&constructor=2',
    );
  });

  test('tracking parameters are listed in lower case', () => {
    for (const name of TRACKING_PARAMETERS) expect(name).toBe(name.toLowerCase());
  });

  test.each([
    'https://a.test/x;jsessionid=0A1B2C3D',
    'https://a.test/x;JSESSIONID=0A.node1!-17',
    'https://a.test/x?jsessionid=1',
    'https://a.test/x?PHPSESSID=0a1b2c3d4e5f',
    'https://a.test/x?phpsessid=',
    'https://a.test/x?%50HPSESSID=1',
    'https://a.test/x?ASPSESSIONIDQADBCQRT=ABCDEFGHIJKLMNOP',
    'https://a.test/x?sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    'https://a.test/x?s=0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    'https://a.test/x?sessionid=01234567-89ab-cdef-0123-456789abcdef',
    'https://a.test/x?CFID=17&CFTOKEN=25',
    'https://a.test/x?cfid=17;cftoken=25',
    'https://a.test/x?osCsid=1&zenid=2',
    'https://a.test/(S(3uxpj545a0kyl2njv13ibwux))/x',
    'https://a.test/(X(1)S(3uxpj545a0kyl2njv13ibwux))/x',
    'https://a.test/%28S%283uxpj545a0kyl2njv13ibwux%29%29/x',
  ])('%s is /x: its session says nothing', (text) => {
    expect(keyOf(text)).toBe('https://a.test/x');
    expect(keyOf(text, { ...DEFAULT_SETTINGS, dropSessionIds: false })).not.toBe(
      'https://a.test/x',
    );
  });

  test.each([
    ['another parameter beside it', '/x;v=1;jsessionid=2?a=1&PHPSESSID=3', '/x;v=1?a=1'],
    ['a parameter behind a semicolon', '/x?a=1;PHPSESSID=3;b=2', '/x?a=1;b=2'],
    ['a session at the end', '/x/(S(1))', '/x/'],
    ['a session alone', '/(S(1))', '/'],
    ['a page that a session id names', '/wiki/PHPSESSID', '/wiki/PHPSESSID'],
    ['a short id that may be content', '/x?sid=17', '/x?sid=17'],
    ['words', '/x?session=spring-school-of-2024', '/x?session=spring-school-of-2024'],
    ['a plain number', '/x?s=20240101123456789', '/x?s=20240101123456789'],
    ['half of a pair', '/x?cfid=17', '/x?cfid=17'],
    ['brackets of a title', '/Earth_(planet)/x', '/Earth_(planet)/x'],
    ['dots that would become a folder', '/a/..;jsessionid=1/b', '/a/..;jsessionid=1/b'],
  ])('of a session it leaves %s', (_, path, key) => {
    expect(keyOf(`https://a.test${path}`)).toBe(`https://a.test${key}`);
  });

  test('a name to drop is no pattern, but for the star at its end [SEC12]', () => {
    const rules = { ...DEFAULT_SETTINGS, dropParameters: ['(a+)+$', 'b.', 'c*'] };

    expect(keyOf(`https://a.test/?${'a'.repeat(50_000)}!=1&bx=2&cx=3`, rules)).toBe(
      `https://a.test/?${'a'.repeat(50_000)}!=1&bx=2`,
    );
  });

  test('names to drop and to keep are the operator’s, in any case, with a star for the rest', () => {
    const rules = {
      ...DEFAULT_SETTINGS,
      dropParameters: ['ref', 'pk_*'],
      keepParameters: ['gclid', 'phpsessid', 'pk_id'],
    };
    const url = 'https://a.test/?REF=1&pk_x=2&pk_id=3&gclid=4&fbclid=5&PHPSESSID=6&reference=7';

    expect(keyOf(url, rules)).toBe('https://a.test/?PHPSESSID=6&gclid=4&pk_id=3&reference=7');
  });

  test.each([
    { which: 'by default', rules: DEFAULT_SETTINGS },
    { which: 'without rules', rules: NO_RULES },
    {
      which: 'with names of the operator’s',
      rules: { ...DEFAULT_SETTINGS, dropParameters: ['a*'], keepParameters: ['utm_*', 'cfid'] },
    },
  ])('no URL makes it throw, and the key of a key is itself, $which', ({ rules }) => {
    fc.assert(
      fc.property(hostileUrl(), (text) => {
        const url = parseRequestUrl(text);
        if (url === undefined) return;
        const key = urlKeyOf(url, rules);

        expect(urlKeyOf(asRequestUrl(key), rules)).toBe(key);
        expect(parseRequestUrl(key)).toBe(key);
      }),
      { numRuns: 3_000 },
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
