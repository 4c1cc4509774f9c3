import { gzipSync } from 'node:zlib';
import { trapReason } from '../domain/traps.ts';
import { retryAfterMs } from '../domain/backoff.ts';
import { crawlSettingsOf } from '../domain/crawl-settings.ts';
import { refreshTarget } from '../domain/refresh.ts';
import { parseRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import { directivesOfHeaders } from '../domain/robots-directives.ts';
import { robotsTtlMs } from '../domain/robots-lifetime.ts';
import { urlKeyOf } from '../domain/url-key.ts';
import { validatorsOf } from '../domain/validators.ts';
import { createCookies } from '../web/cookies.ts';
import { decodeHtml } from '../web/charset.ts';
import { extractPage } from '../web/extract-links.ts';
import { readSitemap } from '../web/read-sitemap.ts';

/**
 * What hostile input costs, robots files aside (`bench/robots.ts`): CPU time for so many bytes and for twice as many.
 * Doubling must not cost more than 2.5 times as much, nor the whole more than a second (R36).
 */
const MOST_GROWTH = 2.5;
const MOST_MS = 1_000;
/** Below this, the clock and its neighbours are measured, not the work. */
const NOISE_MS = 10;
const ROUNDS = 5;

const url = parseRequestUrl('http://a.test/') as RequestUrl;
const settings = crawlSettingsOf({ userAgent: 'Decorum/1.0' });
const NOW_MS = Date.UTC(2026, 10, 6);

/** A text of so many characters. */
type Filled = (chars: number) => string;

interface Family {
  readonly what: string;
  /** Of the larger one. */
  readonly chars: number;
  readonly read: (text: string) => unknown;
  readonly inputs: Readonly<Record<string, Filled>>;
}

const PAGES: Readonly<Record<string, Filled>> = {
  '40,000 and more nested elements': again('<b><div>'),
  'one tag of attributes': (chars) => `<p ${counted((n) => `a${n}=1 `)(chars)}>`,
  'one text': again('x'),
  'nothing closed': again('<div><p><a href=/x><table><tr><td>'),
  links: counted((n) => `<a href=/${n}>`),
  'links on a long base': (chars) =>
    `<base href=/${'b'.repeat(7_000)}>${counted((n) => `<a href=${n}>`)(chars)}`,
  'one srcset': (chars) => `<img srcset="${again('a 1x,')(chars)}">`,
  srcsets: again(`<img srcset="${'a(,'.repeat(2_000)}">`),
  brackets: again('<'),
  comments: again('<!---->'),
  'comments that end oddly': again('<!-- --!> <!'),
  'dashes in a comment': (chars) => `<!--${again('-')(chars)}`,
  CDATA: again('<![CDATA['),
  'CDATA in SVG': (chars) => `<svg>${again('<![CDATA[')(chars)}`,
  'SVG in SVG': again('<svg>'),
  'SVG titles': again('<svg><title>'),
  'SVG and paragraphs': again('<svg></p>'),
  scripts: again('<script></script>'),
  'a script that never ends': (chars) => `<script>${again('</scrip')(chars)}`,
  'scripts in comments in scripts': (chars) => `<script>${again('<!--<script>')(chars)}`,
  titles: again('<title></title>'),
  'text areas that begin to end': again('<textarea></textare>'),
  'entities of an attribute': (chars) => `<a href="${again('&amp;')(chars)}">`,
  'entities of attributes': again('<a href="&amp&notit;&#x26;&">'),
  quotes: again('<a href="\'>'),
  names: again('<a'),
  'equals signs': (chars) => `<a ${again('= ')(chars)}>`,
  slashes: (chars) => `<a ${again('/ ')(chars)}>`,
  'closing tags': again('</a x="y">'),
  templates: again('<template>'),
  'robots metas': again('<meta name=robots content="none,none,none">'),
  refreshes: again(`<meta http-equiv=refresh content="5; ${' '.repeat(5_000)}">`),
  blanks: again(' \n'),
};

const SITEMAPS: Readonly<Record<string, Filled>> = {
  entries: (chars) =>
    `<urlset>${counted((n) => `<url><loc>http://a.test/${n}</loc></url>`)(chars)}`,
  nested: (chars) => `<urlset>${again('<url>')(chars)}`,
  entities: (chars) => `<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>${again('&a;')(chars)}`,
  declarations: again('<!DOCTYPE x ['),
  comments: (chars) => `<urlset>${again('<!---->')(chars)}`,
  attributes: (chars) => `<urlset ${counted((n) => `a${n}="1" `)(chars)}>`,
  CDATA: (chars) => `<urlset><url><loc>${again('<![CDATA[a]]>')(chars)}`,
  lines: counted((n) => `http://a.test/${n}\n`),
  'line ends': again('\n'),
};

const FIELDS: Readonly<Record<string, Filled>> = {
  commas: again(','),
  directives: again('noindex,'),
  names: again('a:'),
  blanks: (chars) => `x${again(' ')(chars)}x`,
  'a date of blanks': (chars) => `Sun,${again(' ')(chars)}06 Nov 1994 08:49:37 GMT`,
  dates: again('unavailable_after: Sun,'),
  digits: again('9'),
  ages: again('max-age=9,'),
  charsets: again(';charset='),
  'charsets of blanks': again('; charset'),
  quotes: again('"'),
  cookies: (chars) => `a=${again('b; c=')(chars)}`,
  refresh: (chars) => `5${again(' ;')(chars)}`,
};

const URLS: Readonly<Record<string, Filled>> = {
  segments: again('/a'),
  dots: again('/..'),
  slashes: again('/'),
  parameters: (chars) => `/?${counted((n) => `a${n}=1&`)(chars)}`,
  'equal parameters': (chars) => `/?${again('a=1&')(chars)}`,
  escapes: (chars) => `/${again('%41%2f')(chars)}`,
  'percent signs': (chars) => `/${again('%')(chars)}`,
  'other letters': (chars) => `/${again('ü')(chars)}`,
  'session ids': (chars) => `/${again(';jsessionid=1')(chars)}`,
  brackets: (chars) => `/${again('(S(')(chars)}`,
  years: (chars) => `/calendar/${again('2019-')(chars)}`,
  'calls of years': (chars) => `/calendar/${again('year=')(chars)}`,
  'question marks': (chars) => `/${again('?')(chars)}`,
  'a host': (chars) => `//${again('a.')(chars)}/`,
};

const FAMILIES: readonly Family[] = [
  {
    what: 'pages of 5 MB',
    chars: 5_000_000,
    inputs: PAGES,
    read: (text) =>
      extractPage({ url, contentType: 'text/html', body: Buffer.from(text), embeds: true }),
  },
  {
    what: 'sitemaps of 5 MB',
    chars: 5_000_000,
    inputs: SITEMAPS,
    read: (text) => readSitemap(Buffer.from(text), { url, contentType: '', named: true }),
  },
  {
    what: 'zipped sitemaps of 20 MB',
    chars: 20_000_000,
    inputs: { zeros: again('0') },
    read: (text) =>
      readSitemap(gzipSync(text, { level: 1 }), { url, contentType: '', named: true }),
  },
  { what: 'header fields of 64 KB', chars: 65_536, inputs: FIELDS, read: readField },
  { what: 'URLs of 1 MB', chars: 1_000_000, inputs: URLS, read: readLink },
];

const faults: string[] = [];
for (const { what, chars, inputs, read } of FAMILIES) {
  console.log(`\n${what.padEnd(40)}  CPU ms: half     whole`);
  for (const [name, filled] of Object.entries(inputs)) {
    const [half, whole] = calmly(() =>
      [chars / 2, chars].map((size) => leastMs(read, filled(size))),
    );
    console.log(name.padEnd(40), ...[half, whole].map((ms) => ms.toFixed(2).padStart(12)));
    if (isSteep(half, whole)) faults.push(`${what}: ${name} grows by more than its size`);
    if (whole > MOST_MS) faults.push(`${what}: ${name} takes too long`);
  }
}
if (faults.length > 0) throw new Error(faults.join('; '));

function readField(value: string): unknown {
  const cookies = createCookies();
  cookies.take(new URL(url), [['set-cookie', value]]);
  return [
    cookies.headerFor(new URL(url)),
    directivesOfHeaders([value], { userAgent: 'Decorum', nowMs: NOW_MS }),
    robotsTtlMs({ cacheControl: [value], expires: value, date: value }, NOW_MS),
    retryAfterMs(value, NOW_MS),
    validatorsOf(value, value),
    refreshTarget(value),
    decodeHtml(Buffer.from('x'), value),
  ];
}

function readLink(text: string): unknown {
  const link = parseRequestUrl(text, url);
  return link === undefined ? link : [urlKeyOf(link, settings), trapReason(link, settings, NOW_MS)];
}

/** Of several rounds the one that was disturbed least. */
function leastMs(read: (text: string) => unknown, text: string): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/** Measured again where others may have disturbed it. */
function calmly(measure: () => number[], again = 3): readonly [half: number, whole: number] {
  const [half = 0, whole = 0] = measure();
  return again > 0 && isSteep(half, whole) ? calmly(measure, again - 1) : [half, whole];
}

function isSteep(once: number, twice: number): boolean {
  return twice > NOISE_MS && twice > MOST_GROWTH * once;
}

function again(text: string): Filled {
  return (chars) => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
}

function counted(text: (n: string) => string): Filled {
  return (chars) => {
    const pieces: string[] = [];
    for (let n = 0, length = 0; length < chars; n += 1) {
      const piece = text(String(n));
      pieces.push(piece);
      length += piece.length;
    }
    return pieces.join('').slice(0, chars);
  };
}
