import { serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkExclusion } from '../../domain/admission.ts';
import { outcomeOfAnswer } from '../../domain/answer.ts';
import { retryAfterMs } from '../../domain/backoff.ts';
import { crawlSettingsOf } from '../../domain/crawl-settings.ts';
import { hostKeyOf } from '../../domain/host-key.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import { refreshTarget } from '../../domain/refresh.ts';
import { parseRequestUrl, readReference } from '../../domain/request-url.ts';
import { directivesOfHeaders } from '../../domain/robots-directives.ts';
import { robotsTtlMs } from '../../domain/robots-lifetime.ts';
import { decodeRobots, parseRobots, robotsVerdict } from '../../domain/robots.ts';
import { urlKeyOf } from '../../domain/url-key.ts';
import { urlSelectionOf } from '../../domain/url-selection.ts';
import { validatorsOf } from '../../domain/validators.ts';
import { createCookies } from '../../web/cookies.ts';
import { decodeHtml } from '../../web/charset.ts';
import { extractPage } from '../../web/extract-links.ts';
import { fieldNamed, fieldsNamed, fieldsOf, locationOf } from '../../web/header-fields.ts';
import { readSitemap } from '../../web/read-sitemap.ts';
import { requestUrl } from '../domain/request-url-of.ts';

const url = requestUrl('http://a.test/dir/page');
const settings = crawlSettingsOf({ userAgent: 'Decorum/1.0' });
const selection = urlSelectionOf(settings);
const NOW_MS = Date.UTC(2026, 10, 6);

interface Reader {
  readonly what: string;
  /** What such input is made of, between random bytes. */
  readonly pieces: readonly string[];
  /** All that is made of it, and everything kept. */
  readonly read: (bytes: Buffer) => unknown;
}

const READERS: readonly Reader[] = [
  {
    what: 'URLs',
    pieces: [
      ...[
        'http://',
        'https:',
        '//',
        '\\',
        '@',
        ':',
        ':80',
        ':99999',
        '[::1]',
        '127.1',
        'a.test',
        '.',
      ],
      ...[
        '/',
        '/../',
        '/./',
        '%',
        '%2e',
        '%00',
        '?',
        '&',
        '=',
        ';sid=1',
        '#',
        'ü',
        '\t',
        '\n',
        ' ',
      ],
      ...['javascript:', 'data:,', 'mailto:', 'xn--', '2019/12', 'year=2099', '(S(a))', 'a/a/a/'],
    ],
    read: (bytes) =>
      [bytes.toString('utf8'), bytes.toString('latin1')].map((text): readonly unknown[] => {
        const link = parseRequestUrl(text, url);
        if (link === undefined) return [readReference(text, url)];
        const scope = { kind: 'domain', roots: new Set(['a.test']) } as const;
        const found = { depth: 1, nowMs: NOW_MS };
        const rules = parseRobots(`User-agent: *\nDisallow: ${text}`, 'Decorum');
        return [
          ...[link, urlKeyOf(link, settings), hostKeyOf(link)],
          ...[
            linkExclusion(link, found, { ...settings, scope, selection }),
            robotsVerdict(rules, link),
          ],
        ];
      }),
  },
  {
    what: 'robots files',
    pieces: [
      ...[
        'User-agent',
        'user agent',
        ':',
        '*',
        'Decorum',
        'Allow',
        'Disallow',
        'disalow',
        '/',
        '$',
      ],
      ...[
        '/*a',
        '/%',
        '%zz',
        '%2F',
        '/index.html',
        'Crawl-delay: 1e9',
        'Crawl-delay: .5',
        'Sitemap: ',
      ],
      ...['\n', '\r', '\r\n', '\t', ' ', '#', '<br>', '<', '\ufeff', '\0', 'ü', '****'],
    ],
    read: (bytes) => {
      const rules = parseRobots(decodeRobots(bytes), 'Decorum');
      return [rules, robotsVerdict(rules, url)];
    },
  },
  {
    what: 'header fields',
    pieces: [
      ...[
        'noindex',
        'none',
        ',',
        ';',
        ':',
        '=',
        '"',
        'unavailable_after: ',
        'Fri, 06 Nov 2026 13:00:00 GMT',
      ],
      ...[
        'max-age=',
        'no-cache',
        '0',
        '99999999999',
        '-1',
        'W/',
        '"a"',
        'charset=',
        'text/html',
        'utf-7',
      ],
      ...[
        '/x',
        '//',
        'http://[',
        'a=1; Domain=',
        'Path=/',
        'Max-Age=',
        '5; url=',
        'ü',
        '\0',
        '\t',
        ' ',
      ],
    ],
    read: (bytes) => {
      const names = ['location', 'set-cookie', 'x-robots-tag', 'cache-control', 'expires', 'etag'];
      const raw = [...names, 'last-modified', 'retry-after', 'refresh', 'content-type'].flatMap(
        (name) => [Buffer.from(name), bytes],
      );
      const head = { headers: fieldsOf(raw) };
      const value = fieldNamed(head, 'etag') ?? '';
      const cookies = createCookies();
      cookies.take(new URL(url), head.headers);
      const cacheControl = fieldsNamed(head, 'cache-control');
      return [
        outcomeOfAnswer({ url, status: 302, location: locationOf(raw), retryAfter: value }),
        cookies.headerFor(new URL(url)),
        directivesOfHeaders([value], { userAgent: 'Decorum', nowMs: NOW_MS }),
        robotsTtlMs({ cacheControl, expires: value, date: value }, NOW_MS),
        retryAfterMs(value, NOW_MS),
        validatorsOf(value, value),
        refreshTarget(value),
        mediaTypeOf(value),
        decodeHtml(Buffer.from('ü'), value),
      ];
    },
  },
  {
    what: 'pages',
    pieces: [
      ...[
        '<',
        '>',
        '/>',
        '</',
        '<a ',
        '<base ',
        '<link ',
        '<meta ',
        '<img ',
        '<svg>',
        '<math>',
        '<template>',
      ],
      ...[
        '<title>',
        '</title>',
        '<script>',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<plaintext>',
        '<!doctype html>',
      ],
      ...[
        'href=',
        'src=',
        'srcset=',
        'rel=',
        'name=robots ',
        'content=',
        'http-equiv=refresh ',
        'charset=',
      ],
      ...[
        '"',
        "'",
        '=',
        ' ',
        '/x',
        '//',
        '&amp;',
        '&#0;',
        '&#x110000;',
        '&',
        'utf-16',
        '\xff\xfe',
        '\xfe\xff',
        '\0',
      ],
    ],
    read: (bytes) =>
      ['', 'text/html', 'text/html; charset=utf-16', 'application/xhtml+xml'].map((contentType) =>
        extractPage({ url, contentType, body: bytes, embeds: true }),
      ),
  },
  {
    what: 'sitemaps',
    pieces: [
      ...[
        '<?xml version="1.0"?>',
        '<urlset>',
        '</urlset>',
        '<sitemapindex>',
        '<rss>',
        '<feed>',
        '<!DOCTYPE x [',
      ],
      ...[
        '<!ENTITY a "b">',
        ']>',
        '<url>',
        '</url>',
        '<loc>',
        '</loc>',
        '<lastmod>',
        '<priority>',
        '<entry>',
      ],
      ...[
        '<link href="',
        '"/>',
        '<item>',
        '<![CDATA[',
        ']]>',
        '<!--',
        '-->',
        '&a;',
        '&amp;',
        'http://a.test/',
        '\n',
      ],
      ...['2026-11-06', '0.5', '<x:url>', '\x1f\x8b\x08', '\0'],
    ],
    read: (bytes) =>
      [true, false].map((named) => readSitemap(bytes, { url, contentType: 'text/xml', named })),
  },
];

/** No more than this for each byte that came: nothing multiplies. */
const MOST_KEPT_PER_BYTE = 200;
const MOST_KEPT_BESIDE = 10_000;

test.each(READERS)(
  '$what of any bytes are read without an error, and little is kept',
  ({ pieces, read }) => {
    const piece = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(...pieces).map((text) => Buffer.from(text, 'latin1')),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
    );
    const input = fc.oneof(
      fc.array(piece, { maxLength: 60 }).map((parts) => Buffer.concat(parts)),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(input, fc.nat({ max: 50 }), (bytes, times) => {
        const repeated = Buffer.concat(Array.from({ length: times }, () => bytes));
        for (const each of [bytes, repeated]) {
          const kept = serialize(read(each)).byteLength;
          expect(kept).toBeLessThanOrEqual(MOST_KEPT_BESIDE + MOST_KEPT_PER_BYTE * each.length);
        }
      }),
      { numRuns: 300 },
    );
  },
);
