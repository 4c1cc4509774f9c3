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

  test('that is named but not applied changes nothing', async () => {
    expect(await decodeBody(Buffer.from(page), 'gzip', LIMIT_BYTES)).toEqual({
      body: Buffer.from(page),
      complete: true,
    });
  });

  test.each(['zstd', 'compress', 'gzip, gzip, gzip, gzip'])(
    '%s that we do not undo gives nothing, and says so',
    async (coding) => {
      const decoded = await decodeBody(Buffer.from('bytes'), coding, LIMIT_BYTES);
      expect(decoded).toEqual({ body: Buffer.alloc(0), complete: false });
    },
  );

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
  ])('$coding that ends early keeps its beginning, as truncated', async ({ coding, bytes }) => {
    const half = bytes.subarray(0, bytes.length / 2);
    const host = await cannedHost(answerOf(half, [`Content-Encoding: ${coding}`]));

    const { outcome, answer } = await fetchFrom(host);

    expect(outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(answer?.truncated).toBe(true);
    expect(answer?.body.length).toBeGreaterThan(text.length / 4);
    expect(text.startsWith(answer?.body.toString() ?? '?')).toBe(true);
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

    const { answer } = await fetchFrom(host, { maxBodyBytes: 1_000_000 });

    expect(answer?.truncated).toBe(true);
    expect(answer?.body.length).toBe(1_000_000);
  });
});
