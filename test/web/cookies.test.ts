import { describe, expect, test } from 'vitest';
import { createCookies } from '../../web/cookies.ts';
import { cannedHost, fetchFrom, rawHost } from './loopback.ts';

const at = (url: string): URL => new URL(url);
const set = (...lines: string[]) => lines.map((line) => ['Set-Cookie', line] as const);

describe('cookies', () => {
  test('go back to the host that set them, with the next request', async () => {
    const host = await rawHost((socket, head) => {
      const isKnown = /^cookie: wall=passed\r$/m.test(head);
      socket.end(
        isKnown
          ? 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
          : 'HTTP/1.1 302 Found\r\nSet-Cookie: wall=passed\r\nLocation: /\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const cookies = createCookies();

    const first = await fetchFrom(host, { cookies });
    const second = await fetchFrom(host, { cookies });

    expect(first.outcome.kind).toBe('redirected');
    expect(second.outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(second.answer?.requestHeaders).toContainEqual(['cookie', 'wall=passed']);
  });

  test('are neither sent nor kept where nobody asks for it', async () => {
    const host = await cannedHost(
      'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n',
    );

    await fetchFrom(host);
    await fetchFrom(host);

    expect(host.requests.join('')).not.toMatch(/^cookie:/im);
  });

  test.each([
    { law: 'another host', from: 'https://a.test/', to: 'https://b.test/', line: 'a=b' },
    {
      law: 'another host, though they name it',
      from: 'https://a.test/',
      to: 'https://b.test/',
      line: 'a=b; Domain=b.test',
    },
    {
      law: 'a whole top level',
      from: 'https://a.co.uk/',
      to: 'https://b.co.uk/',
      line: 'a=b; Domain=co.uk',
    },
    {
      law: 'a connection that anybody may read',
      from: 'https://a.test/',
      to: 'http://a.test/',
      line: 'a=b; Secure',
    },
    {
      law: 'another path',
      from: 'https://a.test/x/y',
      to: 'https://a.test/z',
      line: 'a=b; Path=/x',
    },
    {
      law: 'anybody, once they are over',
      from: 'https://a.test/',
      to: 'https://a.test/',
      line: 'a=b; Max-Age=0',
    },
    {
      law: 'anybody, where they hold other signs',
      from: 'https://a.test/',
      to: 'https://a.test/',
      line: 'a=\u00e9',
    },
  ])('do not go to $law', ({ from, to, line }) => {
    const cookies = createCookies();
    cookies.take(at(from), set(line));

    expect(cookies.headerFor(at(to))).toBeUndefined();
  });

  test('that grow too long are forgotten', () => {
    const cookies = createCookies();
    const url = at('https://a.test/');
    cookies.take(url, set(...Array.from({ length: 40 }, (_, n) => `c${n}=${'x'.repeat(200)}`)));

    expect(cookies.headerFor(url)).toBeUndefined();
    cookies.take(url, set('a=b'));
    expect(cookies.headerFor(url)).toBe('a=b');
  });

  test.each([
    '',
    '=',
    ';;;',
    'a',
    'a=b; Domain=',
    'a=b; Expires=never',
    '__Host-a=b',
    'x'.repeat(9_000),
  ])('"%s" makes nothing worse', (line) => {
    const cookies = createCookies();
    cookies.take(at('http://127.0.0.1/'), set(line));

    expect(() => cookies.headerFor(at('http://127.0.0.1/'))).not.toThrow();
  });
});
