import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readWarcResponse } from '../../store/read-warc.ts';
import {
  openWarcStore,
  type ArchivedExchange,
  type WarcPlace,
  type WarcStoreOptions,
} from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';
import { aFolder, recordsOf } from './warc-folder.ts';

async function store(
  exchanges: readonly ArchivedExchange[],
  options: Partial<WarcStoreOptions> = {},
): Promise<{ readonly dir: string; readonly places: readonly WarcPlace[] }> {
  const dir = await aFolder();
  const warc = await openWarcStore({ dir, slot: 'w1', ...options });
  const places = await Promise.all(exchanges.map((exchange) => warc.write(exchange)));
  await warc.close();
  return { dir, places };
}

async function storeOne(exchange: ArchivedExchange) {
  const { dir, places } = await store([exchange]);
  const [place] = places;
  if (place === undefined) throw new Error('No place came back');
  const records = await recordsOf(join(dir, place.file));
  return { place, records, response: await readWarcResponse(dir, place) };
}

describe('what is written', () => {
  test('is read back as it was', async () => {
    const { response } = await storeOne(anExchange({ status: 404 }));

    expect(response.status).toBe(404);
    expect(response.headers).toContainEqual(['Content-Type', 'text/html']);
    expect(response.body.toString()).toBe('<p>Hello</p>');
  });

  test('is a warcinfo record, then for each exchange a response and its request', async () => {
    const { records } = await storeOne(anExchange());

    expect(records.map(({ type }) => type)).toEqual(['warcinfo', 'response', 'request']);
    const [info, response, request] = records;
    expect(info?.block.toString()).toMatch(/^software: Decorum\r\n[^]*isPartOf: default\r\n$/);
    expect(response?.header('WARC-Target-URI')).toBe('http://a.test/page?x=1');
    expect(response?.header('WARC-Date')).toBe('2026-01-02T03:04:05.678Z');
    expect(response?.header('WARC-IP-Address')).toBe('127.0.0.1');
    expect(request?.header('WARC-Concurrent-To')).toBe(response?.header('WARC-Record-ID'));
    expect(request?.block.toString()).toMatch(/^GET \/page\?x=1 HTTP\/1.1\r\nHost: a.test\r\n/);
  });

  test('lies where the place says, under the digest of its payload', async () => {
    const { place, records } = await storeOne(anExchange({ rawBody: new Uint8Array() }));

    expect(place.digest).toBe('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
    expect(place.offset).toBe(records[1]?.offset);
    expect(place.offset + place.length).toBe(records[2]?.offset);
    expect(records[1]?.header('WARC-Payload-Digest')).toBe(place.digest);
  });

  test.each([
    { encoding: 'gzip', encode: gzipSync },
    { encoding: 'br', encode: brotliCompressSync },
    { encoding: 'deflate', encode: deflateSync },
    { encoding: 'deflate', encode: deflateRawSync },
  ])('stays $encoding in the file and is decoded when read', async ({ encoding, encode }) => {
    const rawBody = encode(Buffer.from('<p>Hello</p>'.repeat(100)));
    const { response, records } = await storeOne(
      anExchange({ rawBody, headers: [['Content-Encoding', encoding]] }),
    );

    expect(records[1]?.block.subarray(-rawBody.length)).toEqual(rawBody);
    expect(response.body.toString()).toBe('<p>Hello</p>'.repeat(100));
  });

  test('gives a body that is not what its encoding says as it came', async () => {
    const { response } = await storeOne(anExchange({ headers: [['Content-Encoding', 'gzip']] }));

    expect(response.body.toString()).toBe('<p>Hello</p>');
  });

  test('says where a page was cut, and still gives the part that came', async () => {
    const whole = Buffer.from(randomBytes(50_000).toString('hex'));
    const rawBody = gzipSync(whole).subarray(0, 20_000);
    const { response, records } = await storeOne(
      anExchange({ rawBody, truncated: true, headers: [['Content-Encoding', 'gzip']] }),
    );

    expect(records[1]?.header('WARC-Truncated')).toBe('length');
    expect(response.body.length).toBeGreaterThan(1_000);
    expect(response.body).toEqual(whole.subarray(0, response.body.length));
  });

  test.each([
    { trap: "the mark at which warcio's header map splits values", url: 'http://a.test/,,,x,,,y' },
    { trap: 'a line end', url: 'http://a.test/x\r\nWARC-Type: metadata\r\n' },
    { trap: 'letters beyond ASCII', url: 'http://bücher.test/größe' },
  ])('keeps a URL with $trap in its line', async ({ url }) => {
    const { records } = await storeOne(anExchange({ url }));

    expect(records[1]?.type).toBe('response');
    expect(records[1]?.header('WARC-Target-URI')).toBe(new URL(url).href);
  });
});

describe('a file', () => {
  const pages = Array.from({ length: 40 }, (_, n) =>
    anExchange({ url: `http://a.test/${n}`, rawBody: randomBytes(1_000 + n) }),
  );

  test('takes many writes at once, each whole', async () => {
    const { dir, places } = await store(pages);

    const files = new Set(places.map(({ file }) => file));
    expect(files.size).toBe(1);
    for (const [n, place] of places.entries()) {
      expect((await readWarcResponse(dir, place)).body).toEqual(pages[n]?.rawBody);
    }
  });

  test('is followed by the next before it outgrows its limit', async () => {
    const { dir, places } = await store(pages, { maxFileBytes: 10_000 });

    const files = await readdir(dir);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      expect((await stat(join(dir, file))).size).toBeLessThanOrEqual(10_000);
      expect((await recordsOf(join(dir, file))).map(({ type }) => type)).toContain('response');
    }
    const bodies = await Promise.all(places.map((place) => readWarcResponse(dir, place)));
    expect(bodies.map(({ body }) => body)).toEqual(pages.map(({ rawBody }) => rawBody));
  });

  test('of its own is given to an exchange over the limit', async () => {
    const { places } = await store(pages.slice(0, 3), { maxFileBytes: 10 });

    expect(new Set(places.map(({ file }) => file)).size).toBe(3);
  });

  test('belongs to one crawl and one slot, which its name tells', async () => {
    const { dir } = await store([
      anExchange({ crawl: 'news' }),
      anExchange({ crawl: '../evil/ñ' }),
      anExchange({ crawl: 'news' }),
    ]);

    expect((await readdir(dir)).sort()).toEqual([
      expect.stringMatching(/^_\._evil__-\d{17}-w1-0000\d\.warc\.gz$/),
      expect.stringMatching(/^news-\d{17}-w1-0000\d\.warc\.gz$/),
    ]);
  });

  test('is marked while it is written, and only then', async () => {
    const dir = await aFolder();
    const warc = await openWarcStore({ dir, slot: 'w1' });
    const { file } = await warc.write(anExchange());
    expect((await readdir(dir)).sort()).toEqual([file, `${file}.open`]);

    await warc.close();
    expect(await readdir(dir)).toEqual([file]);
    await expect(warc.write(anExchange())).rejects.toThrow('closed');
  });

  test('closes only after the writes under way', async () => {
    const dir = await aFolder();
    const warc = await openWarcStore({ dir, slot: 'w1' });
    const written = pages.map((page) => warc.write(page));
    await warc.close();

    const [first] = await Promise.all(written);
    expect(await recordsOf(join(dir, first?.file ?? ''))).toHaveLength(1 + 2 * pages.length);
  });

  test('holds digests that are true of its blocks', async () => {
    const { records } = await storeOne(anExchange({ rawBody: Buffer.from('twelve bytes') }));

    for (const { block, header } of records.slice(1)) {
      const digest = createHash('sha1').update(block).digest('hex');
      expect(hexOf(header('WARC-Block-Digest'))).toBe(digest);
    }
  });
});

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The digest of a label in hexadecimal: eight base32 letters are 40 bits. */
function hexOf(label: string | null | undefined): string {
  const groups = (label ?? '').replace('sha1:', '').match(/.{8}/g) ?? [];
  return groups.map((group) => fortyBits(group).toString(16).padStart(10, '0')).join('');
}

function fortyBits(group: string): number {
  return Array.from(group).reduce((value, letter) => value * 32 + BASE32.indexOf(letter), 0);
}
