import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestUrl } from '../../domain/request-url.ts';
import { MAX_SITEMAP_ENTRIES, readSitemap } from '../../web/read-sitemap.ts';
import type { Sitemap } from '../../web/read-sitemap.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

function read(body: string | Uint8Array, options: { type?: string; named?: boolean } = {}) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return readSitemap(bytes, {
    url: 'https://a.test/maps/s.xml' as RequestUrl,
    contentType: options.type ?? 'application/xml',
    named: options.named ?? false,
  });
}

function urlsOf(sitemap: Sitemap | undefined): readonly string[] | undefined {
  return sitemap?.entries.map(({ url }) => url);
}

function urlset(...blocks: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="${NAMESPACE}">${blocks.join('')}</urlset>`;
}

describe('an XML sitemap', () => {
  test('names pages with the time of their last change and their priority', () => {
    const body = urlset(
      '<url><loc>https://a.test/1</loc><lastmod>2025-06-07</lastmod><priority>0.8</priority></url>',
      '<url><loc>https://a.test/2</loc><lastmod>lately</lastmod><priority>high</priority></url>',
    );
    expect(read(body)).toEqual({
      kind: 'pages',
      entries: [
        { url: 'https://a.test/1', lastmodMs: Date.UTC(2025, 5, 7), priority: 0.8 },
        { url: 'https://a.test/2', lastmodMs: undefined, priority: undefined },
      ],
    });
  });

  test.each([
    ['CDATA [MAP03]', '<![CDATA[https://a.test/x?a=1&b=2]]>', 'https://a.test/x?a=1&b=2'],
    [
      'references, its text in pieces [MAP04]',
      'https://a.test/x?a=1&amp;b=2&#38;c=3',
      'https://a.test/x?a=1&b=2&c=3',
    ],
    ['blanks round an address', '\n  https://a.test/x\t', 'https://a.test/x'],
    ['a bare ampersand', 'https://a.test/x?a=1&b=2', 'https://a.test/x?a=1&b=2'],
    ['a comment amid an address', 'https://a.test/<!-- -->x', 'https://a.test/x'],
    ['a relative address', '../x', 'https://a.test/x'],
  ])('may write an address with %s', (_, loc, url) => {
    expect(urlsOf(read(urlset(`<url><loc>${loc}</loc></url>`)))).toEqual([url]);
  });

  test('a block without an address leaves nothing behind for the next [MAP07]', () => {
    const body = urlset(
      '<url><lastmod>2020-01-01</lastmod><priority>0.9</priority></url>',
      '<url><loc>https://a.test/x</loc></url>',
    );
    expect(read(body)?.entries).toEqual([
      { url: 'https://a.test/x', lastmodMs: undefined, priority: undefined },
    ]);
  });

  test('addresses of images and videos are no pages', () => {
    const body = urlset(
      '<url><loc>https://a.test/x</loc><image:image><image:loc>https://a.test/i.png</image:loc></image:image>',
      '<video:video><video:player_loc>https://a.test/v</video:player_loc></video:video></url>',
    );
    expect(urlsOf(read(body))).toEqual(['https://a.test/x']);
  });

  test.each([
    [
      'a byte order mark and blank lines before it [MAP14]',
      `\uFEFF\n\n  ${urlset('<url><loc>https://a.test/x</loc></url>')}`,
    ],
    ['no declaration and no namespace', '<urlset><url><loc>https://a.test/x</loc></url></urlset>'],
    [
      'a namespace of its own',
      '<s:urlset xmlns:s="urn:s"><s:url><s:loc>https://a.test/x</s:loc></s:url></s:urlset>',
    ],
    ['capitals', '<URLSET><URL><LOC>https://a.test/x</LOC></URL></URLSET>'],
    [
      'a comment before it',
      `<!-- by a tool -->${urlset('<url><loc>https://a.test/x</loc></url>')}`,
    ],
    [
      'no end',
      urlset('<url><loc>https://a.test/x</loc></url><url><loc>https://a.te').replace(
        '</urlset>',
        '',
      ),
    ],
  ])('is read with %s', (_, body) => {
    expect(urlsOf(read(body))?.[0]).toBe('https://a.test/x');
  });

  test('is read in UTF-16', () => {
    const text = urlset('<url><loc>https://a.test/ü</loc></url>').replace('UTF-8', 'UTF-16');
    const body = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(urlsOf(read(body))).toEqual(['https://a.test/%C3%BC']);
  });

  test('expands no entity of its own and reads no other file [MAP11]', () => {
    const body = `<!DOCTYPE u [<!ENTITY e SYSTEM "file:///x.txt"><!ENTITY a "aaaaaaaaaa">
      <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <urlset><url><loc>https://a.test/&e;&b;</loc></url><url><loc>https://a.test/x</loc></url></urlset>`;
    expect(urlsOf(read(body))).toEqual(['https://a.test/x']);
  });

  test('addresses that no crawler fetches are left out', () => {
    const locs = [
      'javascript:alert(1)',
      'ftp://a.test/3',
      '',
      'https://',
      `https://a.test/${'a'.repeat(9_000)}`,
    ];
    const blocks = locs.map((loc) => `<url><loc>${loc}</loc></url>`);
    expect(urlsOf(read(urlset(...blocks)))).toEqual([]);
  });

  test('names each page once and at most 50,000', () => {
    const blocks = Array.from({ length: MAX_SITEMAP_ENTRIES + 10 }, (_, n) =>
      n === 1
        ? '<url><loc>https://a.test/0</loc></url>'
        : `<url><loc>https://a.test/${n}</loc></url>`,
    );
    const urls = urlsOf(read(urlset(...blocks))) ?? [];
    expect(urls).toHaveLength(MAX_SITEMAP_ENTRIES);
    expect(urls[1]).toBe('https://a.test/2');
  });

  test('names that objects have by themselves are names like others', () => {
    const body = urlset(
      '<constructor><loc>https://a.test/1</loc></constructor><__proto__/>',
      '<url><loc>https://a.test/x</loc><toString>y</toString></url>',
    );
    expect(urlsOf(read(body))).toEqual(['https://a.test/x']);
  });
});

test('an index names further sitemaps', () => {
  const body = `<sitemapindex xmlns="${NAMESPACE}"><sitemap><loc>https://a.test/2.xml.gz</loc><lastmod>2025</lastmod></sitemap></sitemapindex>`;
  expect(read(body)).toEqual({
    kind: 'index',
    entries: [{ url: 'https://a.test/2.xml.gz', lastmodMs: Date.UTC(2025), priority: undefined }],
  });
});

describe('a feed', () => {
  test('of RSS names the pages of its items', () => {
    const body =
      '<rss version="2.0"><channel><link>https://a.test/</link><item><title>t</title><link>https://a.test/1</link></item></channel></rss>';
    expect(urlsOf(read(body, { type: 'application/rss+xml' }))).toEqual(['https://a.test/1']);
  });

  test('of Atom names the alternates of its entries', () => {
    const body =
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/><entry><link rel="self" href="https://a.test/self"/><link href="https://a.test/1"/><updated>2025-06-07T08:09:10Z</updated></entry></feed>';
    expect(read(body)?.entries).toEqual([
      { url: 'https://a.test/1', lastmodMs: Date.UTC(2025, 5, 7, 8, 9, 10), priority: undefined },
    ]);
  });
});

describe('a text', () => {
  const body = '\uFEFFhttps://a.test/1\r\n\r\n# no address\nftp://a.test/2\nhttps://a.test/3\n';

  test('is a sitemap where it is called one', () => {
    expect(urlsOf(read(body, { type: 'text/plain', named: true }))).toEqual([
      'https://a.test/1',
      'https://a.test/3',
    ]);
  });

  test('is none by itself', () => {
    expect(read(body, { type: 'text/plain' })).toBeUndefined();
  });
});

test.each([
  ['a page', '<!doctype html><html><body><a href="/x">x</a></body></html>'],
  ['a page about sitemaps, far down', `<html>${' '.repeat(5_000)}<urlset>`],
  [
    'a page that quotes a feed',
    '<html><body><feed><entry><link href="https://a.test/x"/></entry></feed>',
  ],
  ['other XML', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['nothing', ''],
])('%s is no sitemap', (_, body) => {
  expect(read(body, { named: true })?.entries ?? []).toEqual([]);
});

test('one that nests without end gives what stands before', () => {
  const entry = '<url><loc>https://a.test/x</loc></url>';
  const nested = `<urlset>${entry}${'<url>'.repeat(1_000_000)}${entry}`;
  expect(read(nested)?.entries.map(({ url }) => url)).toEqual(['https://a.test/x']);
});

test('no bytes make it throw', () => {
  const piece = fc.constantFrom(
    '<urlset>',
    '<url>',
    '<loc>',
    '</loc>',
    '</url>',
    '<![CDATA[',
    ']]>',
    '&',
    '<!DOCTYPE',
    'https://a.test/',
  );
  const body = fc
    .array(fc.oneof(piece, fc.string({ unit: 'binary' })))
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(body, fc.boolean(), (text, named) => {
      for (const { url } of read(`<urlset>${text}`, { named })?.entries ?? [])
        expect(url).toMatch(/^https?:/);
    }),
  );
});
