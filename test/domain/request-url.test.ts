import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asRequestUrl, parseRequestUrl } from '../../domain/request-url.ts';

describe('parseRequestUrl', () => {
  test.each([
    { rule: 'gives an empty path its slash', text: 'http://a.test?q=1', url: 'http://a.test/?q=1' },
    {
      rule: 'lower-cases scheme and host, not the path',
      text: 'HTTPS://A.Test/Path',
      url: 'https://a.test/Path',
    },
    { rule: 'drops the port of the scheme', text: 'https://a.test:443/', url: 'https://a.test/' },
    { rule: 'keeps any other port', text: 'https://a.test:80/', url: 'https://a.test:80/' },
    { rule: 'drops the fragment', text: 'https://a.test/x?y#z', url: 'https://a.test/x?y' },
    { rule: 'drops an empty fragment', text: 'https://a.test/x#', url: 'https://a.test/x' },
    { rule: 'keeps a bare question mark', text: 'https://a.test/x?#z', url: 'https://a.test/x?' },
    {
      rule: 'drops names and passwords',
      text: 'https://ann:secret@a.test/',
      url: 'https://a.test/',
    },
    {
      rule: 'spells IDN in ASCII',
      text: 'https://Grüße.example/',
      url: 'https://xn--gre-6ka8l.example/',
    },
    {
      rule: 'resolves dot segments, escaped ones too',
      text: 'https://a.test/x/%2E./y',
      url: 'https://a.test/y',
    },
    {
      rule: 'leaves an escaped slash alone',
      text: 'https://a.test/x%2fy',
      url: 'https://a.test/x%2fy',
    },
    {
      rule: 'leaves a lone percent sign alone',
      text: 'https://a.test/5%',
      url: 'https://a.test/5%',
    },
    { rule: 'escapes nothing twice', text: 'https://a.test/%C3%BC', url: 'https://a.test/%C3%BC' },
    {
      rule: 'reads backslashes of a path as slashes',
      text: 'https:\\\\a.test\\x?y\\z',
      url: 'https://a.test/x?y\\z',
    },
    {
      rule: 'overlooks blanks round it and breaks inside',
      text: ' https://a.test/x\n/y\t',
      url: 'https://a.test/x/y',
    },
    { rule: 'reads addresses in any notation', text: 'http://0x7f.1/', url: 'http://127.0.0.1/' },
  ])('$rule', ({ text, url }) => {
    expect(parseRequestUrl(text)).toBe(url);
  });

  const base = 'https://a.test/dir/page?q=1';
  test.each([
    { text: 'next', url: 'https://a.test/dir/next' },
    { text: '../up', url: 'https://a.test/up' },
    { text: '?p=2', url: 'https://a.test/dir/page?p=2' },
    { text: '#top', url: base },
    { text: '', url: base },
    { text: '//b.test/x', url: 'https://b.test/x' },
    { text: '///b.test/x', url: 'https://b.test/x' },
    { text: 'https:x', url: 'https://a.test/dir/x' },
    { text: 'http:x', url: 'http://x/' },
  ])('resolves "$text" as a browser does', ({ text, url }) => {
    expect(parseRequestUrl(text, base)).toBe(url);
  });

  test.each([
    'mailto:ann@a.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.test/',
    'file:///etc/passwd',
    'http://',
    'http://a b/',
    'http://[::1',
    'https://%zz/',
    'http://a.test:65536/',
    'http://256.1.1.1/',
    'no URL without a base',
  ])('"%s" can’t be crawled', (text) => {
    expect(parseRequestUrl(text)).toBeUndefined();
  });

  test('a bad base is no reason to throw', () => {
    expect(parseRequestUrl('x', 'not a base')).toBeUndefined();
  });

  test('never throws, and reads its own result as it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
    );
    fc.assert(
      fc.property(text, fc.option(fc.webUrl(), { nil: undefined }), (link, base) => {
        const url = parseRequestUrl(link, base);
        if (url === undefined) return;
        expect(url).toMatch(/^https?:\/\/[^/#@]+\/[^#]*$/u);
        expect(parseRequestUrl(url)).toBe(url);
        expect(asRequestUrl(url)).toBe(url);
      }),
    );
  });
});
