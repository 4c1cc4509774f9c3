import fc from 'fast-check';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeBody } from '../../web/decode-body.ts';
import { answerOf, cannedHost, fetchFrom } from './loopback.ts';

const page = `<html><body>${'Some words of a page. '.repeat(5_000)}</body></html>`;
const LIMIT_BYTES = 5_000_000;

describe('a content coding', () => {
  test.each([
    { coding: 'gzip', bytes: gzipSync(page) },
    { coding: 'x-gzip', bytes: gzipSync(page) },
    { coding: 'deflate', bytes: deflateSync(page) },
    { coding: 'deflate', bytes: deflateRawSync(page) },
    { coding: 'br', bytes: brotliCompressSync(page) },
    { coding: 'GZIP', bytes: gzipSync(page) },
    { coding: 'identity', bytes: Buffer.from(page) },
    { coding: 'br, gzip', bytes: gzipSync(brotliCompressSync(page)) },
  ])('$coding is undone, and what was transferred is kept', async ({ coding, bytes }) => {
    const host = await cannedHost(answerOf(bytes, [`Content-Encoding: ${coding}`]));

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.truncated).toBe(false);
    expect(answer?.body.toString()).toBe(page);
    expect(answer?.rawBody.equals(bytes)).toBe(true);
  });

  test.each([
    { form: 'raw or wrapped [CMP08]', coding: 'deflate', codes: [deflateSync, deflateRawSync] },
    { form: 'by its old name, with blanks [CMP09]', coding: '\tX-Gzip ', codes: [gzipSync] },
    { form: 'in capitals [CMP09]', coding: ' GZIP', codes: [gzipSync] },
    { form: 'called by the name of another', coding: 'br', codes: [gzipSync] },
    { form: 'called by the name of a third', coding: 'deflate', codes: [gzipSync] },
  ])('is undone: $form', async ({ coding, codes }) => {
    for (const code of codes) {
      const decoded = await decodeBody(code(page), coding, LIMIT_BYTES);
      expect(decoded.complete).toBe(true);
      expect(decoded.body.toString()).toBe(page);
    }
  });

  test('named last was applied last [CMP04]', async () => {
    const bytes = brotliCompressSync(gzipSync(page));

    const { body } = await decodeBody(bytes, 'gzip, br', LIMIT_BYTES);

    expect(body.toString()).toBe(page);
  });

  test('of the transfer is undone too', async () => {
    const coded = gzipSync('hello');
    const host = await cannedHost(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
      Buffer.concat([Buffer.from(`${coded.length.toString(16)}\r\n`), coded, Buffer.from('\r\n')]),
      '0\r\n\r\n',
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.body.toString()).toBe('hello');
  });

  test.each([
    'gzip',
    'deflate',
    'br',
    'zstd',
    'no-such-thing',
    'utf-8',
    'none',
    'gzip, gzip, gzip, gzip',
  ])('%s that is named but not applied changes nothing', async (coding) => {
    expect(await decodeBody(Buffer.from(page), coding, LIMIT_BYTES)).toEqual({
      body: Buffer.from(page),
      complete: true,
    });
  });

  test.each([
    {
      name: 'zstd, which nobody asked for [CMP10]',
      coding: 'zstd',
      fault: /unknown coding "zstd"/,
    },
    { name: 'compress', coding: 'compress', fault: /unknown coding "compress"/ },
    {
      name: 'a thousand, one on the other [CMP05]',
      coding: 'gzip,'.repeat(1_000),
      fault: /1000 codings/,
    },
  ])('that we do not undo makes the page undecodable: $name', async ({ coding, fault }) => {
    const bytes = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1]);
    const host = await cannedHost(answerOf(bytes, [`Content-Encoding: ${coding}`]));

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'undecodable', status: 200 });
    expect(outcome).toHaveProperty('detail', expect.stringMatching(fault));
    expect(answer?.body).toHaveLength(0);
  });

  test.each([
    { status: '302 Found', field: 'Location: /next', kind: 'redirected' },
    { status: '404 Not Found', field: 'X-A: b', kind: 'fetched' },
    { status: '503 Busy', field: 'X-A: b', kind: 'putOff' },
  ])('is of no interest under a $status [RED12]', async ({ status, field, kind }) => {
    const host = await cannedHost(
      `HTTP/1.1 ${status}\r\n${field}\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n`,
      Buffer.from([0x1f, 0x8b, 0xff]),
    );

    const { outcome } = await fetchFrom(host);

    expect(outcome.kind).toBe(kind);
  });

  test('that was undone is not undone again by the name of the file [CMP02]', async () => {
    const map =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/x</loc></url></urlset>';
    const host = await cannedHost(
      answerOf(gzipSync(map), ['Content-Type: application/gzip', 'Content-Encoding: gzip']),
    );

    const { answer } = await fetchFrom(host);

    expect(answer?.body.toString()).toBe(map);
  });

  test('of an empty body is empty', async () => {
    const decoded = await decodeBody(Buffer.alloc(0), 'gzip', LIMIT_BYTES);
    expect(decoded).toEqual({ body: Buffer.alloc(0), complete: true });
  });
});

describe('a broken coding', () => {
  const text = Array.from({ length: 40_000 }, (_, index) => `${index * 7919} `).join('');

  test.each([
    { coding: 'gzip', bytes: gzipSync(text) },
    { coding: 'deflate', bytes: deflateSync(text) },
    { coding: 'br', bytes: brotliCompressSync(text) },
  ])(
    '$coding that ends early keeps its beginning, as truncated [CMP06]',
    async ({ coding, bytes }) => {
      const half = bytes.subarray(0, bytes.length / 2);
      const host = await cannedHost(answerOf(half, [`Content-Encoding: ${coding}`]));

      const { outcome, answer } = await fetchFrom(host);

      expect(outcome).toEqual({ kind: 'fetched', status: 200 });
      expect(answer?.truncated).toBe(true);
      expect(answer?.body.length).toBeGreaterThan(text.length / 4);
      expect(text.startsWith(answer?.body.toString() ?? '?')).toBe(true);
    },
  );

  test('from its first byte makes the page undecodable, and nothing worse [CMP07]', async () => {
    const bytes = Buffer.concat([gzipSync('').subarray(0, 10), Buffer.alloc(30, 0x78)]);
    const host = await cannedHost(answerOf(bytes, ['Content-Encoding: gzip']));

    const { outcome } = await fetchFrom(host);

    expect(outcome).toMatchObject({ kind: 'failed', reason: 'undecodable', status: 200 });
    expect(outcome).toHaveProperty('detail', expect.stringMatching(/^bad gzip: /));
  });

  test.each([
    { junk: 'a word', bytes: Buffer.from('garbage!') },
    { junk: 'padding', bytes: Buffer.alloc(600) },
    {
      junk: 'what looks like a further stream',
      bytes: Buffer.from([0x1f, 0x8b, ...Buffer.alloc(30, 9)]),
    },
  ])(
    'does not begin where it has ended: $junk behind it is passed over [CMP11]',
    async ({ bytes }) => {
      for (const form of [page, '<a href="/x">x</a>']) {
        for (const [coding, stream] of [
          ['gzip', gzipSync(form)],
          ['deflate', deflateSync(form)],
          ['deflate', deflateRawSync(form)],
          ['br', brotliCompressSync(form)],
        ] as const) {
          const decoded = await decodeBody(Buffer.concat([stream, bytes]), coding, LIMIT_BYTES);
          expect(decoded.complete).toBe(true);
          expect(decoded.body.toString()).toBe(form);
        }
      }
    },
  );

  test('of a file with a name, a comment and an extra field is found behind them', async () => {
    const plain = gzipSync('hello');
    const extra = Buffer.from([3, 0, 1, 2, 3]);
    const header = Buffer.concat([
      plain.subarray(0, 3),
      Buffer.from([4 + 8 + 16]),
      plain.subarray(4, 10),
      extra,
      Buffer.from('name\0comment\0'),
    ]);
    const bytes = Buffer.concat([header, plain.subarray(10), Buffer.from('junk')]);

    const { body, complete } = await decodeBody(bytes, 'gzip', LIMIT_BYTES);

    expect(complete).toBe(true);
    expect(body.toString()).toBe('hello');
  });

  test('whose checksum is wrong keeps its end, as truncated', async () => {
    const bytes = gzipSync(text);
    bytes.writeUInt32LE(0, bytes.length - 8);

    const { body, complete } = await decodeBody(bytes, 'gzip', LIMIT_BYTES);

    expect(complete).toBe(false);
    expect(body.toString()).toBe(text);
  });

  test('never throws, whatever the bytes and their names', async () => {
    const coding = fc.array(fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'x'), {
      maxLength: 4,
    });
    const start = fc.constantFrom('', '1f8b08', '1f8b0800000000000003', '789c', '<!', '1b');
    await fc.assert(
      fc.asyncProperty(
        coding,
        start,
        fc.uint8Array({ maxLength: 300 }),
        async (names, hex, rest) => {
          const bytes = Buffer.concat([Buffer.from(hex, 'hex'), rest]);
          const { body } = await decodeBody(bytes, names.join(', '), 100);
          expect(body.length).toBeLessThanOrEqual(300 + 10);
        },
      ),
    );
  });

  test('keeps what came before the damage', async () => {
    const bytes = gzipSync(text);
    bytes.fill(0xff, Math.floor(bytes.length / 2));

    const { body, complete } = await decodeBody(bytes, 'gzip', LIMIT_BYTES);

    expect(complete).toBe(false);
    expect(body.length).toBeGreaterThan(0);
  });
});

describe('a decompression bomb', () => {
  const bomb = gzipSync(Buffer.alloc(300_000_000));

  test.each([
    { kind: 'a simple one', coding: 'gzip', bytes: bomb },
    { kind: 'one inside another', coding: 'gzip, gzip', bytes: gzipSync(bomb) },
  ])('stops at the limit: $kind', async ({ coding, bytes }) => {
    const host = await cannedHost(answerOf(bytes, [`Content-Encoding: ${coding}`]));

    const { outcome, answer } = await fetchFrom(host, { maxBodyBytes: 1_000_000 });

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.truncated).toBe(true);
    expect(answer?.body.length).toBe(1_000_000);
  });
});
