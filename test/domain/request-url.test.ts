import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asRequestUrl, parseRequestUrl, readReference } from '../../domain/request-url.ts';
import { hostileUrl } from './hostile-url.ts';

describe('parseRequestUrl', () => {
  test.each([
    {
      rule: 'gives an empty path its slash [URL02]',
      text: 'http://a.test?q=1',
      url: 'http://a.test/?q=1',
    },
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
      rule: 'spells IDN in ASCII, whatever its case [URL09]',
      text: 'https://BÜCHER.example/',
      url: 'https://xn--bcher-kva.example/',
    },
    {
      rule: 'resolves dot segments, escaped ones too [URL12]',
      text: 'https://a.test/x/%2E./%2e%2E/y',
      url: 'https://a.test/y',
    },
    {
      rule: 'leaves an escaped slash alone [URL13]',
      text: 'https://a.test/x%2fy',
      url: 'https://a.test/x%2fy',
    },
    {
      rule: 'leaves a lone percent sign alone [URL18]',
      text: 'https://a.test/5%+of%zz%2',
      url: 'https://a.test/5%+of%zz%2',
    },
    {
      rule: 'escapes nothing twice [URL16]',
      text: 'https://a.test/%C3%BC',
      url: 'https://a.test/%C3%BC',
    },
    {
      rule: 'reads backslashes of a path as slashes [URL04]',
      text: 'https:\\\\a.test\\x?y\\z',
      url: 'https://a.test/x?y\\z',
    },
    {
      rule: 'overlooks blanks round it and breaks inside',
      text: ' https://a.test/x\n/y\t',
      url: 'https://a.test/x/y',
    },
    { rule: 'reads addresses in any notation', text: 'http://0x7f.1/', url: 'http://127.0.0.1/' },
    {
      rule: 'drops control characters round it [URL06]',
      text: ' \0https://a.test/p\x1f ',
      url: 'https://a.test/p',
    },
    {
      rule: 'decodes an escaped host [URL08]',
      text: 'https://ex%61mple%2Ecom/',
      url: 'https://example.com/',
    },
    {
      rule: 'keeps sharp s, by IDNA of today [URL10]',
      text: 'https://straße.example/',
      url: 'https://xn--strae-oqa.example/',
    },
    {
      rule: 'reads full-width letters and full stops as plain ones [URL11]',
      text: 'https://ｅｘample。com/',
      url: 'https://example.com/',
    },
    {
      rule: 'overlooks a soft hyphen in a host [URL28]',
      text: 'https://ex\u00adample.com/',
      url: 'https://example.com/',
    },
    {
      rule: 'overlooks joiners and spaces of no width in a host',
      text: 'https://ex\u200bam\u2060ple.com/',
      url: 'https://example.com/',
    },
    {
      rule: 'takes a host of several scripts as it is',
      text: 'https://pаypal.example/',
      url: 'https://xn--pypal-4ve.example/',
    },
    {
      rule: 'leaves escaped delimiters alone [URL14]',
      text: 'https://a.test/p%23x%25%26%3B',
      url: 'https://a.test/p%23x%25%26%3B',
    },
    {
      rule: 'leaves parameters as they are, empty and repeated ones too',
      text: 'https://a.test/a;b=1;b=1?&&=&a&a=&a=1;c',
      url: 'https://a.test/a;b=1;b=1?&&=&a&a=&a=1;c',
    },
    {
      rule: 'keeps a dot at the end of a host',
      text: 'https://a.test./x',
      url: 'https://a.test./x',
    },
    {
      rule: 'shortens IPv6',
      text: 'http://[2001:DB8:0:0:0:0:0:1]/',
      url: 'http://[2001:db8::1]/',
    },
    {
      rule: 'writes IPv4 in IPv6 as IPv6',
      text: 'http://[::ffff:127.0.0.1]/',
      url: 'http://[::ffff:7f00:1]/',
    },
    { rule: 'escapes quotes', text: 'https://a.test/"x"?\'', url: 'https://a.test/%22x%22?%27' },
    {
      rule: 'replaces half a character',
      text: 'https://a.test/\ud800',
      url: 'https://a.test/%EF%BF%BD',
    },
    {
      rule: 'drops tabs and line ends anywhere',
      text: 'ht\ttps:\n//a.te\rst/x\ty',
      url: 'https://a.test/xy',
    },
  ])('$rule', ({ text, url }) => {
    expect(parseRequestUrl(text)).toBe(url);
  });

  test.each([
    'http://127.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7F000001/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://%31%32%37.1/',
  ])('reads %s as 127.0.0.1', (text) => {
    expect(parseRequestUrl(text)).toMatch(/^http:\/\/127\.0\.0\.1\.?\/$/u);
  });

  const base = 'https://a.test/dir/page?q=1';
  test.each([
    { text: 'next', url: 'https://a.test/dir/next', id: '' },
    { text: '../up', url: 'https://a.test/up', id: '' },
    { text: '?p=2', url: 'https://a.test/dir/page?p=2', id: ' [URL23]' },
    { text: '#top', url: base, id: '' },
    { text: '', url: base, id: ' [URL22]' },
    { text: '//b.test/x', url: 'https://b.test/x', id: '' },
    { text: '///b.test/x', url: 'https://b.test/x', id: ' [URL03]' },
    { text: '\\\\b.test\\x', url: 'https://b.test/x', id: '' },
    { text: 'https:x', url: 'https://a.test/dir/x', id: ' [URL20]' },
    { text: 'http:x', url: 'http://x/', id: '' },
    { text: 'http%3A//a.test/x', url: 'https://a.test/dir/http%3A//a.test/x', id: ' [URL25]' },
    { text: ';x', url: 'https://a.test/dir/;x', id: '' },
    { text: 'a:b', url: undefined, id: '' },
    { text: './a:b', url: 'https://a.test/dir/a:b', id: '' },
    { text: '../../../..', url: 'https://a.test/', id: '' },
    { text: '?', url: 'https://a.test/dir/page?', id: '' },
  ])('resolves "$text" as a browser does$id', ({ text, url }) => {
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
    'http://1.2.3.4.5/',
    'https://xn--a/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://a.test:-1/',
    'http://a<b/',
    'http://./',
    'http://../x',
    'http://\u200b/',
    'blob:https://a.test/1',
    'ws://a.test/',
    'view-source:https://a.test/',
    'no URL without a base',
  ])('"%s" can’t be crawled', (text) => {
    expect(parseRequestUrl(text)).toBeUndefined();
  });

  test('a bad base is no reason to throw', () => {
    expect(parseRequestUrl('x', 'not a base')).toBeUndefined();
  });

  test.each([
    ['https://ann@a.test/', true],
    ['https://:s3cret@a.test/', true],
    ['https://ann:s3cret@a.test/', true],
    ['https://@a.test/', false],
    ['https://a.test/@x', false],
  ])('of %s it is told whether a name or password was dropped: %s [URL34]', (text, hadUserinfo) => {
    expect(readReference(text)).toMatchObject({ kind: 'url', hadUserinfo });
    expect(parseRequestUrl(text)).not.toContain('s3cret');
  });

  test.each([
    ['mailto:ann@a.test', 'scheme'],
    ['javascript:void(0)', 'scheme'],
    ['JaVaScRiPt:x', 'scheme'],
    ['data:,x', 'scheme'],
    ['blob:https://a.test/1', 'scheme'],
    ['tel:+1', 'scheme'],
    ['http://[', 'malformed'],
    ['https://a.test:65536/', 'malformed'],
  ])('of %s it is told why it can’t be crawled: %s', (text, kind) => {
    expect(readReference(text, base)).toEqual({ kind });
  });

  test('never throws, and reads its own result as it is', () => {
    fc.assert(
      fc.property(hostileUrl(), fc.option(hostileUrl(), { nil: undefined }), (link, base) => {
        const url = parseRequestUrl(link, base);
        if (url === undefined) return;
        expect(url).toMatch(/^https?:\/\/[^/#@]+\/[^#]*$/u);
        expect(parseRequestUrl(url)).toBe(url);
        expect(asRequestUrl(url)).toBe(url);
      }),
      { numRuns: 1_000 },
    );
  });
});
