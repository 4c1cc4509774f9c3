import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Http1Origins } from '../../web/http1-origins.ts';
import {
  continuation,
  data,
  field,
  frame,
  goAway,
  headers,
  lastData,
  lastHeaders,
  OK,
  openHeaders,
  paddedData,
  pushPromise,
  rememberedField,
  REMEMBERED,
  reset,
  SETTINGS,
  SETTINGS_TAKEN,
} from './frames.ts';
import { bilingualHost, fetchOverHttp2, frameHost, http2Host } from './http2-hosts.ts';
import { allClosed } from './loopback.ts';

describe('HTTP/2', () => {
  test('is spoken where a host chooses it: one request, on one connection, which is closed', async () => {
    const asked: string[] = [];
    const host = await http2Host((stream, fields) => {
      asked.push(String(fields[':path']));
      stream.respond({ ':status': 404, 'content-type': 'text/html', 'x-a': 'b' });
      stream.end('not here');
    });

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 404 });
    expect(answer).toMatchObject({
      httpVersion: 'HTTP/2',
      statusText: '',
      contentType: 'text/html',
      remoteAddress: '127.0.0.1',
      truncated: false,
    });
    expect(answer?.headers).toContainEqual(['x-a', 'b']);
    expect(answer?.headers.map(([name]) => name)).not.toContain(':status');
    expect(answer?.body.toString()).toBe('not here');
    await allClosed(host);
    expect(asked).toEqual(['/']);
    expect(host.connections()).toBe(1);
  });

  test('asks with exactly the header fields that are reported, the host among them', async () => {
    let came: object = {};
    const host = await http2Host((stream, fields) => {
      came = Object.fromEntries(Object.entries(fields));
      stream.respond({ ':status': 200 }, { endStream: true });
    });

    const { answer } = await fetchOverHttp2(host);

    const { host: authority, ...others } = Object.fromEntries(answer?.requestHeaders ?? []);
    expect(came).toEqual({
      ':method': 'GET',
      ':scheme': 'https',
      ':path': '/',
      ':authority': authority,
      ...others,
    });
    expect(Object.keys(others)).toEqual(['user-agent', 'accept', 'accept-encoding']);
  });

  test('is not spoken where it isn’t offered', async () => {
    const host = await bilingualHost();

    const offered = await fetchOverHttp2(host);
    const notOffered = await fetchOverHttp2(host, { http2Except: undefined });

    expect(offered.answer).toMatchObject({ httpVersion: 'HTTP/2' });
    expect(offered.answer?.body.toString()).toBe('by 2.0');
    expect(notOffered.answer).toMatchObject({ httpVersion: 'HTTP/1.1' });
    expect(notOffered.answer?.body.toString()).toBe('by 1.1');
  });

  test('is not offered again to a host that asks for HTTP/1.1, and the next request is by that', async () => {
    const asked: string[] = [];
    const host = await bilingualHost({ insistsOn: 'HTTP/1.1' }, asked);
    const http2Except: Http1Origins = new Set();

    const { outcome, answer } = await fetchOverHttp2(host, { http2Except });
    expect(host.connections()).toBe(1);
    const next = await fetchOverHttp2(host, { http2Except });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'http1Required', status: undefined });
    expect(answer).toBeUndefined();
    expect([...http2Except]).toEqual([new URL(host.url).origin]);
    expect(next.answer?.body.toString()).toBe('by 1.1');
    expect(asked).toEqual(['2.0 /', '1.1 /']);
  });

  test('is not offered again either to a host that goes away with that wish', async () => {
    const host = await frameHost([SETTINGS, goAway(0, 13)]);
    const http2Except: Http1Origins = new Set();

    const { outcome } = await fetchOverHttp2(host, { http2Except });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'http1Required' });
    expect(http2Except.size).toBe(1);
  });
});

describe('an answer by HTTP/2', () => {
  test('may be coded, have early heads before it and trailers behind it', async () => {
    const host = await http2Host((stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' });
      stream.respond(
        { ':status': 200, 'content-encoding': 'gzip', 'set-cookie': ['a=b', 'c=d'] },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'x-checksum': '1' });
      });
      stream.end(gzipSync('the page'));
    });

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ truncated: false });
    expect(answer?.body.toString()).toBe('the page');
    const names = answer?.headers.map(([name]) => name);
    expect(names?.filter((name) => name === 'set-cookie')).toHaveLength(2);
    expect(names).not.toContain('x-checksum');
  });

  test.each([
    {
      what: 'ends with its head',
      frames: [SETTINGS, lastHeaders(OK)],
      body: '',
    },
    {
      what: 'comes after any number of early heads',
      frames: [
        SETTINGS,
        ...Array.from({ length: 1_000 }, () => headers(field(':status', '103'))),
        headers(field(':status', '100')),
        headers(OK),
        lastData('page'),
      ],
      body: 'page',
    },
    {
      what: 'has a kind of frame that there is not yet',
      frames: [SETTINGS, frame(0x77, { stream: 0 }), headers(OK), frame(0x77), lastData('page')],
      body: 'page',
    },
    {
      what: 'comes though the host says that it goes away after it',
      frames: [SETTINGS, goAway(1, 0), headers(OK), lastData('page')],
      body: 'page',
    },
    {
      what: 'was ended, then reset',
      frames: [SETTINGS, headers(OK), lastData('page'), reset(0)],
      body: 'page',
    },
    {
      what: 'has a push before it, which is refused',
      frames: [SETTINGS, pushPromise(), headers(OK), lastData('page')],
      body: 'page',
    },
    {
      what: 'comes from a host that takes no requests',
      frames: [
        frame(4, { stream: 0 }, Buffer.from([0, 3, 0, 0, 0, 0])),
        headers(OK),
        lastData('page'),
      ],
      body: 'page',
    },
  ])('is whole that $what', async ({ frames, body }) => {
    const host = await frameHost(frames);

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ truncated: false });
    expect(answer?.body.toString()).toBe(body);
    await allClosed(host);
  });

  test('is whole though its host hangs up with its last byte', async () => {
    const body = 'x'.repeat(16_000);
    const host = await frameHost((socket) => {
      socket.end(Buffer.concat([SETTINGS, headers(OK), data(body), data(body), lastData(body)]));
    });

    const { answer } = await fetchOverHttp2(host);

    expect(answer).toMatchObject({ truncated: false });
    expect(answer?.body).toHaveLength(48_000);
  });

  test('may be larger than any window', async () => {
    const body = Buffer.alloc(4_500_000, 'page ');
    const host = await http2Host((stream) => {
      stream.respond({ ':status': 200, 'content-length': body.length });
      stream.end(body);
    });

    const { answer } = await fetchOverHttp2(host);

    expect(answer).toMatchObject({ truncated: false });
    expect(answer?.body.equals(body)).toBe(true);
  });

  test.each([204, 304])('of status %d ends with its head', async (status) => {
    const host = await frameHost([SETTINGS, headers(field(':status', String(status)))]);

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toEqual({ kind: 'fetched', status });
    expect(answer).toMatchObject({ truncated: false });
    await allClosed(host);
  });

  test('keeps header text in UTF-8 and in Latin-1, and so does its Location', async () => {
    const host = await frameHost([
      SETTINGS,
      lastHeaders(
        field(':status', '302'),
        field('x-utf8', 'caf\xc3\xa9'),
        field('x-latin1', 'caf\xe9'),
        field('location', '/caf\xe9'),
      ),
    ]);

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toEqual({ kind: 'redirected', status: 302, location: `${host.url}caf%E9` });
    expect(answer?.headers.slice(0, 2)).toEqual([
      ['x-utf8', 'café'],
      ['x-latin1', 'café'],
    ]);
  });
});

describe('an answer by HTTP/2 that breaks off', () => {
  const ways = [
    { way: 'a reset by NO_ERROR', last: [reset(0)] },
    { way: 'a reset by INTERNAL_ERROR', last: [reset(2)] },
    { way: 'a reset by CANCEL', last: [reset(8)] },
    { way: 'a host that goes away for an error', last: [goAway(0, 2)] },
    { way: 'a host that hangs up', last: [] },
  ];

  test.each(ways)('by $way is asked for again, and kept at the last try', async ({ last }) => {
    const host = await hangingUpHost([SETTINGS, headers(OK), data('part'), ...last]);

    const first = await fetchOverHttp2(host);
    const lastTry = await fetchOverHttp2(host, { isLastTry: true });

    expect(first.outcome).toMatchObject({ kind: 'failed', reason: 'cutShort', status: 200 });
    expect(lastTry.outcome).toEqual({ kind: 'fetched', status: 200, remark: 'cut short' });
    expect(lastTry.answer).toMatchObject({ truncated: true });
    expect(lastTry.answer?.body.toString()).toBe('part');
    expect(host.connections()).toBe(2);
  });

  test.each(ways)('by $way before its body is a lost connection', async ({ last }) => {
    const host = await hangingUpHost([SETTINGS, headers(OK), ...last]);

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectionLost', status: 200 });
    expect(answer).toBeUndefined();
  });

  test.each(ways)('by $way before its head is a lost connection', async ({ last }) => {
    const host = await hangingUpHost([SETTINGS, ...last]);

    const { outcome } = await fetchOverHttp2(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectionLost', status: undefined });
    expect(outcome).toHaveProperty('detail', expect.stringMatching(/^[^\n]+$/));
  });

  test('says by which word of the host', async () => {
    const refusing = await frameHost([SETTINGS, reset(7)]);
    const leaving = await frameHost([SETTINGS, goAway(0, 0)]);

    expect((await fetchOverHttp2(refusing)).outcome).toMatchObject({
      detail: 'the host reset the stream: REFUSED_STREAM',
    });
    expect((await fetchOverHttp2(leaving)).outcome).toMatchObject({
      detail: 'the host went away: NO_ERROR',
    });
  });

  test.each([
    { fault: 'shorter than its length', length: '10' },
    { fault: 'longer than its length', length: '3' },
  ])('for a body that is $fault is kept at the last try only', async ({ length }) => {
    const host = await frameHost([
      SETTINGS,
      headers(OK, field('content-length', length)),
      data('pa'),
      lastData('rt'),
    ]);

    const first = await fetchOverHttp2(host);
    const lastTry = await fetchOverHttp2(host, { isLastTry: true });

    expect(first.outcome).toMatchObject({ kind: 'failed', reason: 'cutShort', status: 200 });
    expect(lastTry.outcome).toEqual({ kind: 'fetched', status: 200, remark: 'cut short' });
    expect(lastTry.answer).toMatchObject({ truncated: true });
  });
});

describe('what is not HTTP/2', () => {
  test.each([
    { fault: 'HTTP/1.1', frames: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')] },
    { fault: 'an answer before any settings', frames: [headers(OK), lastData('page')] },
    {
      fault: 'a header block that can’t be read',
      frames: [SETTINGS, headers(Buffer.alloc(5, 0xff))],
    },
    { fault: 'a frame that is too long', frames: [SETTINGS, frame(0, {}, Buffer.alloc(20_000))] },
    { fault: 'a body without a head', frames: [SETTINGS, lastData('page')] },
    { fault: 'a name in capitals', frames: [SETTINGS, lastHeaders(OK, field('X-A', 'b'))] },
    { fault: 'no status', frames: [SETTINGS, lastHeaders(field('x-a', 'b'))] },
    { fault: 'a status in words', frames: [SETTINGS, lastHeaders(field(':status', 'two'))] },
    { fault: 'a status under 100', frames: [SETTINGS, lastHeaders(field(':status', '099'))] },
    { fault: 'an upgrade', frames: [SETTINGS, headers(field(':status', '101')), lastData('x')] },
    {
      fault: 'a field of the connection',
      frames: [SETTINGS, lastHeaders(OK, field('connection', 'close'))],
    },
    {
      fault: 'a push after it was told not to',
      frames: [SETTINGS, SETTINGS_TAKEN, pushPromise(), headers(OK), lastData('page')],
    },
    {
      fault: 'many small fields',
      frames: [SETTINGS, lastHeaders(OK, ...Array.from({ length: 3_000 }, () => field('a', 'b')))],
    },
    {
      fault: 'fields over the limit',
      frames: [
        SETTINGS,
        openHeaders(OK, field('x', 'y'.repeat(16_000))),
        ...Array.from({ length: 4 }, () => continuation(field('x', 'y'.repeat(16_000)))),
        frame(9, { flags: 4 }),
        lastData('page'),
      ],
    },
    {
      fault: 'a header bomb: one byte for 4,000',
      frames: [
        SETTINGS,
        lastHeaders(OK, rememberedField('x', 'y'.repeat(4_000)), Buffer.alloc(1_000, REMEMBERED)),
      ],
    },
    {
      fault: 'a bomb of many fields',
      frames: [
        SETTINGS,
        lastHeaders(OK, rememberedField('x', 'y'.repeat(4_000)), Buffer.alloc(12_000, REMEMBERED)),
      ],
    },
  ])('$fault is malformed, and the connection is closed', async ({ frames }) => {
    const host = await frameHost(frames);

    const { outcome, answer } = await fetchOverHttp2(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'malformedAnswer', status: undefined });
    expect(outcome).toHaveProperty('detail', expect.stringMatching(/^[^\n]+$/));
    expect(answer).toBeUndefined();
    await allClosed(host);
    expect(host.connections()).toBe(1);
  });

  test.each([
    { flood: 'settings', again: SETTINGS },
    { flood: 'pings', again: frame(6, { stream: 0 }, Buffer.alloc(8)) },
    { flood: 'priorities', again: frame(2, {}, Buffer.from([0, 0, 0, 3, 5])) },
    { flood: 'frames that there are not', again: frame(0x77, { stream: 0 }, Buffer.alloc(16_000)) },
    { flood: 'early heads', again: headers(field(':status', '103')) },
    { flood: 'header fields', first: openHeaders(OK), again: continuation(field('x', 'y')) },
    { flood: 'pushes', again: pushPromise() },
  ])('$flood without end are malformed, long before the time is up', async ({ first, again }) => {
    const host = await frameHost(
      pouring([SETTINGS, ...(first === undefined ? [] : [first])], again),
    );

    const { outcome } = await fetchOverHttp2(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'malformedAnswer', status: undefined });
    await allClosed(host);
  });
});

describe('a limit, over HTTP/2', () => {
  test('of size cuts an endless body and hangs up', async () => {
    const host = await frameHost(pouring([SETTINGS, headers(OK)], data('x'.repeat(1_000))));

    const { outcome, answer } = await fetchOverHttp2(host, { maxBodyBytes: 100_000 });

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ truncated: true });
    expect(answer?.rawBody).toHaveLength(100_000);
    await allClosed(host);
  });

  test.each([
    { what: 'padding', again: paddedData() },
    { what: 'frames without a byte', again: data('') },
  ])('of size ends a body that is all $what', async ({ again }) => {
    const host = await frameHost(pouring([SETTINGS, headers(OK), data('part')], again));

    const { outcome, answer } = await fetchOverHttp2(host, {
      maxBodyBytes: 100_000,
      isLastTry: true,
    });

    expect(outcome).toMatchObject({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ truncated: true });
    await allClosed(host);
  });

  test('of size lets a body pass that is as long as the limit', async () => {
    const host = await frameHost([SETTINGS, headers(OK), lastData('0123456789')]);

    const { answer } = await fetchOverHttp2(host, { maxBodyBytes: 10 });

    expect(answer).toMatchObject({ truncated: false });
  });

  test.each([
    { host: 'says nothing at all', frames: [] },
    { host: 'takes the request and never answers', frames: [SETTINGS, SETTINGS_TAKEN] },
    { host: 'never ends its answer', frames: [SETTINGS, headers(OK), data('part')] },
  ])('of time ends a host that $host', async ({ frames }) => {
    const host = await frameHost(frames);

    const { outcome, answer } = await fetchOverHttp2(host, { pageTimeoutMs: 300 });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'pageTimeout' });
    expect(answer).toBeUndefined();
    await allClosed(host);
  });

  test('of types reads no body that is not wanted', async () => {
    const host = await frameHost(
      pouring([SETTINGS, headers(OK, field('content-type', 'video/mp4'))], data('x'.repeat(9_000))),
    );

    const { outcome, answer } = await fetchOverHttp2(host, { skipTypes: ['video/*'] });

    expect(outcome).toEqual({ kind: 'fetched', status: 200, remark: 'skipped: media type' });
    expect(answer?.rawBody).toHaveLength(0);
    await allClosed(host);
  });

  test('of a lease hangs up on a fetch under way', async () => {
    const lease = new AbortController();
    const host = await frameHost((socket) => {
      socket.write(Buffer.concat([SETTINGS, headers(OK), data('part')]));
      lease.abort();
    });

    const { outcome } = await fetchOverHttp2(host, { signal: lease.signal });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'leaseLost' });
    await allClosed(host);
  });
});

/** Says its piece and hangs up. */
function hangingUpHost(frames: readonly Buffer[]) {
  return frameHost((socket) => {
    socket.end(Buffer.concat(frames));
  });
}

/** Says `first`, then the same again and again for as long as anybody listens. */
function pouring(first: readonly Buffer[], again: Buffer): (socket: Socket) => void {
  const many = Buffer.concat(Array.from({ length: Math.ceil(16_384 / again.length) }, () => again));
  return (socket) => {
    socket.write(Buffer.concat(first));
    const pour = () => {
      while (!socket.destroyed && socket.write(many));
    };
    socket.on('drain', pour);
    pour();
  };
}
