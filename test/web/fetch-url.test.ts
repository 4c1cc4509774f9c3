import { describe, expect, test } from 'vitest';
import {
  allClosed,
  answerOf,
  cannedHost,
  closedPort,
  fetchFrom,
  plainPort,
  rawHost,
  requestUrl,
} from './loopback.ts';

describe('an answer', () => {
  test('is given with its status, header fields, body and address', async () => {
    const host = await cannedHost(
      'HTTP/1.1 404 Not Here\r\nContent-Type: text/plain; charset=utf-8\r\n',
      'X-Twice: one\r\nX-Twice: two\r\nContent-Length: 4\r\n\r\ngone',
    );

    const { outcome, answer, fetchMs, endedAtMs } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 404 });
    expect(answer).toMatchObject({
      status: 404,
      statusText: 'Not Here',
      httpVersion: 'HTTP/1.1',
      truncated: false,
      remoteAddress: '127.0.0.1',
      contentType: 'text/plain; charset=utf-8',
    });
    expect(answer?.headers).toEqual([
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Twice', 'one'],
      ['X-Twice', 'two'],
      ['Content-Length', '4'],
    ]);
    expect(answer?.body.toString()).toBe('gone');
    expect(fetchMs).toBeGreaterThan(0);
    expect(endedAtMs).toBeLessThanOrEqual(performance.now());
  });

  test('is asked for with exactly the header fields that are reported', async () => {
    const host = await cannedHost(answerOf('hello'));

    const { answer } = await fetchFrom(host);

    const fields = (answer?.requestHeaders ?? []).map(([name, value]) => `${name}: ${value}`);
    expect(host.requests).toEqual([`GET / HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`]);
    expect(fields).toContain('user-agent: DecorumTest/1.0 (+https://example.com/bot)');
    expect(fields).toContain('connection: close');
  });

  test('of HTTP/1.0 ends with its connection [HTP08]', async () => {
    const host = await cannedHost('HTTP/1.0 200 OK\r\n\r\nold but whole');

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ httpVersion: 'HTTP/1.0', truncated: false });
    expect(answer?.body.toString()).toBe('old but whole');
  });

  test('may be preceded by early hints [HTP12]', async () => {
    const host = await cannedHost(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n',
      answerOf('the page'),
    );

    const { answer } = await fetchFrom(host);

    expect(answer).toMatchObject({ status: 200 });
    expect(answer?.body.toString()).toBe('the page');
  });

  test('in chunks is put together', async () => {
    const host = await cannedHost(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      '5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Trailer: t\r\n\r\n',
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.rawBody.toString()).toBe('hello world');
    expect(answer?.truncated).toBe(false);
  });

  test('in chunks of one byte is put together too', async () => {
    const host = await cannedHost(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\nx\r\n'.repeat(100_000),
      '0\r\n\r\n',
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.rawBody.toString()).toBe('x'.repeat(100_000));
  });

  test('keeps header text in UTF-8 and in Latin-1', async () => {
    const host = await cannedHost(
      Buffer.from('HTTP/1.1 200 OK\r\nX-A: caf\u00e9\r\n', 'utf8'),
      Buffer.from('X-B: caf\u00e9\r\nContent-Length: 0\r\n\r\n', 'latin1'),
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.headers.slice(0, 2)).toEqual([
      ['X-A', 'café'],
      ['X-B', 'café'],
    ]);
  });

  test.each([301, 302, 303, 307, 308])('%i is a hop, not followed', async (status) => {
    const host = await cannedHost(
      `HTTP/1.1 ${status} Moved\r\nLocation: ../over/there#part\r\nContent-Length: 0\r\n\r\n`,
    );

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({
      kind: 'redirected',
      status,
      location: requestUrl(`${host.url}over/there`),
    });
    expect(answer?.status).toBe(status);
    expect(host.connections()).toBe(1);
  });

  test('429 and 503 put the URL off, with the word of the host on how long', async () => {
    const host = await cannedHost(
      'HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n',
    );

    const { outcome } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'putOff', status: 503, retryAfter: '120' });
  });

  test('500 is a failure that keeps its answer', async () => {
    const host = await cannedHost('HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\nsorry');

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'serverError', status: 500 });
    expect(answer?.body.toString()).toBe('sorry');
  });
});

describe('a connection', () => {
  test('is closed after the answer, also where the host would keep it', async () => {
    const host = await rawHost((socket) => {
      socket.write(answerOf('stay', ['Connection: keep-alive', 'Keep-Alive: timeout=60']));
    });

    await fetchFrom(host);

    await allClosed(host);
    expect(host.connections()).toBe(1);
  });

  test('is the only one, even where the host closes it without an answer', async () => {
    const host = await rawHost((socket) => {
      socket.destroy();
    });

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectionLost', status: undefined });
    expect(answer).toBeUndefined();
    expect(host.connections()).toBe(1);
  });

  test('that nobody accepts has failed', async () => {
    const port = await closedPort();

    const { outcome } = await fetchFrom({ url: requestUrl(`http://127.0.0.1:${port}/`) });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectFailed' });
  });

  test('to port 0 is refused', async () => {
    const { outcome } = await fetchFrom({ url: requestUrl('http://127.0.0.1:0/') });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'portRefused' });
  });

  test('goes to the next address where the first has no listener', async () => {
    const host = await cannedHost(answerOf('found'));

    const { answer } = await fetchFrom(
      { url: requestUrl(`http://two.example:${host.port}/`) },
      { addresses: ['127.0.0.77', '127.0.0.1'] },
    );

    expect(answer).toMatchObject({ status: 200, remoteAddress: '127.0.0.1' });
    expect(host.requests[0]).toContain(`host: two.example:${host.port}\r\n`);
  });

  test('to a host without an address is refused', async () => {
    const { outcome } = await fetchFrom({ url: requestUrl('http://nowhere.example/') });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'addressRefused' });
  });

  test.each([
    {
      where: 'a name that leads to loopback',
      url: 'http://evil.example',
      addresses: ['127.0.0.1'],
    },
    { where: 'a loopback address', url: 'http://127.0.0.1', addresses: [] },
    { where: 'loopback in disguise', url: 'http://0x7f.1', addresses: ['93.184.216.34'] },
    { where: 'IPv6 loopback', url: 'http://[::1]', addresses: [] },
    { where: 'IPv4 within IPv6 [SEC03]', url: 'http://[::ffff:127.0.0.1]', addresses: [] },
  ])('to $where is refused by default', async ({ url, addresses }) => {
    const host = await cannedHost(answerOf('secret'));

    const { outcome, answer } = await fetchFrom(
      { url: requestUrl(`${url}:${host.port}/`) },
      { addresses, allowPrivate: false },
    );

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'addressRefused' });
    expect(answer).toBeUndefined();
    expect(host.connections()).toBe(0);
  });

  test('to a cloud metadata address is refused even where private ones are allowed [SEC03]', async () => {
    const { outcome } = await fetchFrom({ url: requestUrl('http://169.254.169.254/latest/') });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'addressRefused' });
  });

  test('to a server that speaks no TLS has failed at TLS', async () => {
    const port = await plainPort('HTTP/1.1 400 Plain\r\n\r\n');

    const { outcome } = await fetchFrom({ url: requestUrl(`https://127.0.0.1:${port}/`) });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'tlsFailed' });
  });

  test('that stalls in its TLS handshake ends at the connect time-out', async () => {
    const port = await plainPort('');

    const { outcome } = await fetchFrom(
      { url: requestUrl(`https://127.0.0.1:${port}/`) },
      { connectTimeoutMs: 100 },
    );

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectTimeout' });
  });
});

describe('a user agent', () => {
  test('that is no header value is our own fault, and thrown', async () => {
    const host = await cannedHost(answerOf('hello'));

    await expect(fetchFrom(host, { userAgent: 'Bad\r\nHost: evil.example' })).rejects.toThrow();
    expect(host.connections()).toBe(0);
  });
});

describe('a broken answer', () => {
  test.each([
    { fault: 'no HTTP at all', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
    { fault: 'a status that is none', bytes: 'HTTP/1.1 abc\r\n\r\n' },
    {
      fault: 'two lengths that differ',
      bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello',
    },
    {
      fault: 'an upgrade nobody asked for',
      bytes: 'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    },
    {
      fault: 'a flood of header fields',
      bytes: `HTTP/1.1 200 OK\r\n${'X-Flood: 0123456789\r\n'.repeat(20_000)}\r\nbody`,
    },
    {
      fault: 'an endless header field',
      bytes: `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1_000_000)}`,
    },
  ])('with $fault is malformed', async ({ bytes }) => {
    const host = await cannedHost(bytes);

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'malformedAnswer' });
    expect(answer).toBeUndefined();
    expect(host.connections()).toBe(1);
  });

  const cutShort = [
    {
      fault: 'a body shorter than its length [HTP06]',
      bytes: 'Content-Length: 100\r\n\r\npart',
    },
    {
      fault: 'a missing last chunk [HTP07]',
      bytes: 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n',
    },
    {
      fault: 'a broken chunk',
      bytes: 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\nzz\r\n',
    },
  ];

  test.each(cutShort)('with $fault is asked for again', async ({ bytes }) => {
    const host = await cannedHost(`HTTP/1.1 200 OK\r\n${bytes}`);

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'cutShort', status: 200 });
    expect(answer?.truncated).toBe(true);
    expect(host.connections()).toBe(1);
  });

  test.each(cutShort)('with $fault is kept at the last try, as truncated', async ({ bytes }) => {
    const host = await cannedHost(`HTTP/1.1 200 OK\r\n${bytes}`);

    const { outcome, answer } = await fetchFrom(host, { isLastTry: true });

    expect(outcome).toEqual({ kind: 'fetched', status: 200, remark: 'cut short' });
    expect(answer?.truncated).toBe(true);
    expect(answer?.body.toString()).toBe('part');
  });

  test('that says all by its status is not asked for again', async () => {
    const host = await cannedHost('HTTP/1.1 404 No\r\nContent-Length: 100\r\n\r\npart');

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 404 });
    expect(answer?.truncated).toBe(true);
  });

  test('whose body never began is a lost connection', async () => {
    const host = await cannedHost('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectionLost', status: 200 });
    expect(answer).toBeUndefined();
  });

  test('with more bytes than its length ends at its length', async () => {
    const host = await cannedHost('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npart and more');

    const { answer } = await fetchFrom(host);

    expect(answer?.truncated).toBe(false);
    expect(answer?.body.toString()).toBe('part');
  });
});

describe('a limit', () => {
  test('of time ends a host that never answers', async () => {
    const host = await rawHost(() => undefined);

    const { outcome } = await fetchFrom(host, { pageTimeoutMs: 100 });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'pageTimeout' });
    await allClosed(host);
  });

  test('of time holds for the whole page, however steadily it drips [SIZ01]', async () => {
    const host = await rawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => {
        clearInterval(drip);
      });
    });

    const { outcome, answer } = await fetchFrom(host, { pageTimeoutMs: 300 });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'pageTimeout', status: 200 });
    expect(answer).toBeUndefined();
  });

  test('of size cuts an endless body and hangs up', async () => {
    const host = await rawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', pour);
      pour();
    });

    const { outcome, answer } = await fetchFrom(host, { maxBodyBytes: 1_000_000 });

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ truncated: true });
    expect(answer?.rawBody.length).toBe(1_000_000);
    expect(answer?.body.length).toBe(1_000_000);
    await allClosed(host);
  });

  test('of size lets a body pass that is as long as the limit', async () => {
    const host = await cannedHost(answerOf('0123456789'));

    const { answer } = await fetchFrom(host, { maxBodyBytes: 10 });

    expect(answer?.truncated).toBe(false);
    expect(answer?.body.toString()).toBe('0123456789');
  });
});

describe('a lost lease', () => {
  test('hangs up on a fetch under way', async () => {
    const lease = new AbortController();
    const host = await rawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
      lease.abort();
    });

    const { outcome, answer } = await fetchFrom(host, { signal: lease.signal });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'leaseLost' });
    expect(answer).toBeUndefined();
    await allClosed(host);
  });

  test('lets no connection be made any more', async () => {
    const host = await cannedHost(answerOf('too late'));

    const { outcome } = await fetchFrom(host, { signal: AbortSignal.abort() });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'leaseLost' });
    expect(host.connections()).toBe(0);
  });
});
