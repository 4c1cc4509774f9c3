import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from 'node:net';
import { allClosed, answerOf, cannedHost, fetchFrom, rawHost, requestUrl } from './loopback.ts';

describe('a status', () => {
  test.each([
    { status: '204 No Content', fields: 'Content-Length: 100' },
    { status: '304 Not Modified', fields: 'Content-Length: 100\r\nETag: "a"' },
    { status: '304 Not Modified', fields: 'Transfer-Encoding: chunked' },
    { status: '204 No Content', fields: 'X-A: b' },
  ])('of $status ends with its head, also with $fields', async ({ status, fields }) => {
    const host = await cannedHost(`HTTP/1.1 ${status}\r\n${fields}\r\n\r\n`);

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: Number(status.slice(0, 3)) });
    expect(answer).toMatchObject({ truncated: false });
    expect(answer?.body).toHaveLength(0);
  });

  test.each([
    '205 Reset Content',
    '299 Whatever',
    '300 Choose',
    '418 Teapot',
    '451 Law',
    '499 Gone',
    '200',
    '200 ',
  ])('%s is a final answer, with its body', async (line) => {
    const host = await cannedHost(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nok`);

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: Number(line.slice(0, 3)) });
    expect(answer?.body.toString()).toBe('ok');
  });

  test('206 is a part, so it is truncated', async () => {
    const host = await cannedHost(
      'HTTP/1.1 206 Part\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nok',
    );

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 206, remark: 'partial content' });
    expect(answer?.truncated).toBe(true);
  });

  test.each(['401 Unauthorized', '407 Proxy Authentication Required'])(
    '%s gets no credentials, nor does the next request, also not those of the URL [RED04]',
    async (line) => {
      const host = await cannedHost(
        `HTTP/1.1 ${line}\r\nWWW-Authenticate: Basic\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n`,
      );
      const url = requestUrl(`http://user:s3cret@127.0.0.1:${host.port}/`);

      const { outcome } = await fetchFrom({ url });
      await fetchFrom({ url });

      expect(outcome.kind).toBe('fetched');
      expect(host.requests).toHaveLength(2);
      expect(host.requests.join('')).not.toMatch(/authorization|cookie|s3cret|dXNlcj/i);
    },
  );

  test('is that of the last answer, after any number of early ones', async () => {
    const host = await cannedHost(
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 5\r\n\r\n'.repeat(1_000),
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 What\r\n\r\n',
      answerOf('the page'),
    );

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.body.toString()).toBe('the page');
  });

  test.each(['100 Continue', '103 Early Hints'])(
    '%s without end is malformed, long before the time is up',
    async (line) => {
      const host = await pouringHost('', `HTTP/1.1 ${line}\r\n\r\n`);

      const { outcome } = await fetchFrom(host);

      expect(outcome).toMatchObject({ kind: 'failed', reason: 'malformedAnswer' });
      await allClosed(host);
    },
  );
});

describe('a head', () => {
  test.each([
    { fault: 'a status of four digits', head: 'HTTP/1.1 1000 X\r\nContent-Length: 2' },
    { fault: 'a status under 100', head: 'HTTP/1.1 099 X\r\nContent-Length: 2' },
    { fault: 'a status of nothing', head: 'HTTP/1.1 000 X\r\nContent-Length: 2' },
    { fault: 'a version that there is not', head: 'HTTP/1.2 200 OK\r\nContent-Length: 2' },
    { fault: 'a protocol in small letters', head: 'http/1.1 200 OK\r\nContent-Length: 2' },
    { fault: 'the status line of another protocol', head: 'ICY 200 OK\r\nContent-Length: 2' },
    { fault: 'no status line, as before HTTP/1.0', head: '<html>hello</html>' },
    { fault: 'line feeds only [HTP10]', head: 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok' },
    { fault: 'a length in words [HTP09]', head: 'HTTP/1.1 200 OK\r\nContent-Length: abc' },
    { fault: 'a length below nothing', head: 'HTTP/1.1 200 OK\r\nContent-Length: -2' },
    {
      fault: 'a length that no number holds',
      head: `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}`,
    },
    {
      fault: 'chunks and a length',
      head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2',
    },
    { fault: 'a NUL', head: 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2' },
    {
      fault: 'a bare carriage return',
      head: 'HTTP/1.1 200 OK\r\nX-A: a\rSet-Cookie: x\r\nContent-Length: 2',
    },
    { fault: 'a name with a blank', head: 'HTTP/1.1 200 OK\r\nX A: a\r\nContent-Length: 2' },
    { fault: 'a line without a colon', head: 'HTTP/1.1 200 OK\r\nnothing\r\nContent-Length: 2' },
    { fault: 'a name over the limit', head: `HTTP/1.1 200 OK\r\n${'x'.repeat(70_000)}: a` },
  ])('with $fault is malformed, and says so in one line', async ({ head }) => {
    const host = await cannedHost(`${head}\r\n\r\nok`);

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'malformedAnswer', status: undefined });
    expect(outcome).toHaveProperty('detail', expect.stringMatching(/^[^\n]+$/));
    expect(answer).toBeUndefined();
    expect(host.connections()).toBe(1);
  });

  test.each([
    { form: 'names of object properties [HTP01]', fields: 'constructor: x\r\n__proto__: y' },
    { form: 'bytes above 127 [HTP02]', fields: 'X-A: \xff\xe9' },
    { form: 'an empty value', fields: 'X-A:' },
    { form: 'ten thousand fields', fields: 'a:\r\n'.repeat(10_000) + 'b: c' },
    { form: 'a cookie', fields: 'Set-Cookie: a=b\r\nSet-Cookie: c=d' },
  ])('may have $form', async ({ fields }) => {
    const host = await cannedHost(
      Buffer.from(
        `HTTP/1.1 200 OK\r\n${fields}\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok`,
        'latin1',
      ),
    );

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer).toMatchObject({ contentType: 'text/html', truncated: false });
    expect(answer?.headers).toContainEqual(['Content-Length', '2']);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('may name its transfer coding twice [HTP04]', async () => {
    const host = await cannedHost(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n',
      '2\r\nok\r\n0\r\n\r\n',
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.body.toString()).toBe('ok');
  });

  test('that comes byte by byte ends at the page time-out [SIZ02]', async () => {
    const host = await rawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('X'), 10);
      socket.on('close', () => {
        clearInterval(drip);
      });
    });

    const { outcome } = await fetchFrom(host, { pageTimeoutMs: 300 });

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'pageTimeout', status: undefined });
    await allClosed(host);
  });
});

describe('a Location', () => {
  const locationOf = async (fields: string, encoding: BufferEncoding = 'latin1') => {
    const head = `HTTP/1.1 302 Found\r\n${fields}\r\nContent-Length: 0\r\n\r\n`;
    const host = await cannedHost(Buffer.from(head, encoding));
    const { outcome } = await fetchFrom(host);
    return outcome.kind === 'redirected' ? outcome.location.slice(host.url.length - 1) : outcome;
  };

  test('that comes first counts [RED09]', async () => {
    expect(await locationOf('Location: /a\r\nLocation: /b')).toBe('/a');
  });

  test.each([
    { form: 'UTF-8', encoding: 'utf8', location: '/caf%C3%A9' },
    { form: 'Latin-1', encoding: 'latin1', location: '/caf%E9' },
  ] as const)('in $form goes back in the bytes that came', async ({ encoding, location }) => {
    expect(await locationOf('Location: /caf\xe9', encoding)).toBe(location);
  });

  test('with escaped line ends puts no field into a request', async () => {
    expect(await locationOf('Location: /x%0d%0aEvil: 1')).toBe('/x%0d%0aEvil:%201');
  });

  test('of 20 kB is read as it is', async () => {
    expect(await locationOf(`Location: /${'x'.repeat(20_000)}`)).toHaveLength(20_001);
  });

  test('that is empty leads nowhere', async () => {
    expect(await locationOf('Location: ')).toEqual({
      kind: 'fetched',
      status: 302,
      remark: 'redirect without a Location',
    });
  });

  test('is taken, though the body under it is cut', async () => {
    const host = await cannedHost(
      'HTTP/1.1 301 Moved\r\nLocation: /next\r\nContent-Length: 500\r\n\r\npart',
    );

    const { outcome } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'redirected', status: 301, location: `${host.url}next` });
  });
});

describe('a body', () => {
  test('that is not wanted is not read, and the connection is closed [HTP18]', async () => {
    let writtenBytes = 0;
    const host = await rawHost((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: Video/MP4; codecs=x\r\nContent-Length: 2000000000\r\n\r\n',
      );
      socket.on('close', () => {
        writtenBytes = socket.bytesWritten;
      });
      const pour = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(16_384)));
      };
      socket.on('drain', pour);
      pour();
    });

    const { outcome, answer } = await fetchFrom(host, { skipTypes: ['audio/*', 'video/*'] });

    expect(outcome).toEqual({ kind: 'fetched', status: 200, remark: 'skipped: media type' });
    expect(answer).toMatchObject({ truncated: true, contentType: 'Video/MP4; codecs=x' });
    expect(answer?.body).toHaveLength(0);
    await allClosed(host);
    expect(writtenBytes).toBeLessThan(20_000_000);
  });

  test.each([
    { what: 'a type that is not listed', head: 'Content-Type: text/html', body: 'page' },
    { what: 'no type at all', head: 'X-A: b', body: 'page' },
  ])('of $what is read', async ({ head, body }) => {
    const host = await cannedHost(answerOf(body, [head]));

    const { answer } = await fetchFrom(host, { skipTypes: ['video/*', 'application/zip'] });

    expect(answer?.body.toString()).toBe(body);
  });

  test('that is announced beyond the limit is read up to it [SIZ05]', async () => {
    const host = await pouringHost(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000000000\r\n\r\n',
      'x'.repeat(1_000),
    );

    const { outcome, answer } = await fetchFrom(host, { maxBodyBytes: 1_048_576 });

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.rawBody).toHaveLength(1_048_576);
    expect(answer?.truncated).toBe(true);
    expect(answer?.headers).toContainEqual(['Content-Length', '5000000000']);
    await allClosed(host);
  });

  test.each([
    { what: 'chunk extensions', start: '5;', more: 'x=y;'.repeat(1_000) },
    {
      what: 'chunks of one byte',
      start: '',
      more: '1;x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\nx\r\n',
    },
  ])('that is all $what ends soon after its limit', async ({ start, more }) => {
    const host = await pouringHost(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${start}`,
      more,
    );

    const { outcome, answer } = await fetchFrom(host, { maxBodyBytes: 100_000 });

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.truncated).toBe(true);
    await allClosed(host);
  });

  test('may be cut in the middle of a character [SIZ08]', async () => {
    const host = await cannedHost(answerOf('<title>€</title>', ['Content-Type: text/html']));

    const { answer } = await fetchFrom(host, { maxBodyBytes: 8 });

    expect(answer?.truncated).toBe(true);
    expect(new TextDecoder().decode(answer?.body)).toBe('<title>\ufffd');
  });
});

test('a host that drops what knocks is given up after the connect time-out [SIZ10]', async () => {
  const deaf = new Worker(DEAF_HOST, { eval: true });
  onTestFinished(async () => {
    await deaf.terminate();
  });
  const port = await new Promise<number>((resolve) => deaf.once('message', resolve));
  const knocks = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }));
  for (const knock of knocks) knock.on('error', () => undefined);
  onTestFinished(() => {
    for (const knock of knocks) knock.destroy();
  });

  const { outcome } = await fetchFrom(
    { url: requestUrl(`http://127.0.0.1:${port}/`) },
    { connectTimeoutMs: 300, pageTimeoutMs: 2_000 },
  );

  expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectTimeout' });
});

/** Listens with room for hardly anybody, then never looks again: the kernel drops what comes. */
const DEAF_HOST = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 10);
  });`;

/** Sends a beginning, then the same again and again for as long as anybody listens. */
function pouringHost(beginning: string, more: string) {
  return rawHost((socket) => {
    socket.write(beginning);
    const bytes = Buffer.from(more.repeat(Math.ceil(16_384 / more.length)));
    const pour = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', pour);
    pour();
  });
}
