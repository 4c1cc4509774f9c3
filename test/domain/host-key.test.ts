import { describe, expect, test } from 'vitest';
import {
  asHostKey,
  hostKeyOf,
  originOf,
  parseHostKey,
  registrableDomainOf,
} from '../../domain/host-key.ts';
import { requestUrl } from './request-url-of.ts';

describe('hostKeyOf', () => {
  test.each([
    { rule: 'knows no scheme', url: 'http://a.test/', host: 'a.test' },
    { rule: 'knows no port', url: 'https://a.test:8443/x', host: 'a.test' },
    { rule: 'knows no case', url: 'https://A.TEST/', host: 'a.test' },
    {
      rule: 'knows no trailing dot, so one queue serves both [URL33]',
      url: 'https://a.test./',
      host: 'a.test',
    },
    { rule: 'spells IDN in ASCII', url: 'https://bücher.example/', host: 'xn--bcher-kva.example' },
    { rule: 'tells hosts of a domain apart', url: 'https://www.a.test/', host: 'www.a.test' },
    { rule: 'keeps the brackets of IPv6', url: 'http://[::1]:80/', host: '[::1]' },
  ])('$rule', ({ url, host }) => {
    expect(hostKeyOf(requestUrl(url))).toBe(host);
  });
});

describe('parseHostKey', () => {
  test.each([
    { text: 'Example.COM', host: 'example.com' },
    { text: ' example.com. ', host: 'example.com' },
    { text: 'example.com:8080', host: 'example.com' },
    { text: 'https://example.com/path?q', host: 'example.com' },
    { text: 'bücher.example', host: 'xn--bcher-kva.example' },
    { text: '192.0.2.7', host: '192.0.2.7' },
    { text: '[2001:DB8::1]', host: '[2001:db8::1]' },
  ])('reads "$text"', ({ text, host }) => {
    expect(parseHostKey(text)).toBe(host);
  });

  test.each(['', '  ', '.', 'two words', 'ftp://example.com/', 'http://'])(
    '"%s" is no host',
    (text) => {
      expect(parseHostKey(text)).toBeUndefined();
    },
  );
});

test('an origin is scheme, host and port, as a robots.txt has it', () => {
  expect(originOf(requestUrl('https://a.test/x'))).toBe('https://a.test');
  expect(originOf(requestUrl('http://a.test/x'))).toBe('http://a.test');
  expect(originOf(requestUrl('https://a.test:8443/x'))).toBe('https://a.test:8443');
  // At most two of them for a host that is written both ways [URL33].
  expect(originOf(requestUrl('https://a.test./x'))).toBe('https://a.test.');
});

describe('registrableDomainOf', () => {
  test.each([
    { host: 'www.example.com', domain: 'example.com' },
    { host: 'a.b.example.co.uk', domain: 'example.co.uk' },
    { host: 'ann.github.io', domain: 'ann.github.io' },
    { host: 'under_score.example.com', domain: 'example.com' },
    { host: 'x.a.test', domain: 'a.test' },
    { host: 'github.io', domain: 'github.io' },
    { host: 'com', domain: 'com' },
    { host: 'localhost', domain: 'localhost' },
    { host: '127.0.0.1', domain: '127.0.0.1' },
    { host: '[2001:db8::1]', domain: '[2001:db8::1]' },
  ])('of $host is $domain', ({ host, domain }) => {
    expect(registrableDomainOf(asHostKey(host))).toBe(domain);
  });
});
