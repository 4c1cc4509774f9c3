import { constants, gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { Handler } from 'htmlparser2';
import { parseRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import { parseW3cDateMs } from '../domain/w3c-date.ts';
import { decodeHtml } from './charset.ts';
import { isGzip } from './decoders.ts';

/** One URL that a sitemap names. */
export interface SitemapEntry {
  readonly url: RequestUrl;
  /** When the page is said to have changed, in milliseconds since 1970. */
  readonly lastmodMs: number | undefined;
  /** From 0 to 1; what a site thinks of its own page, beside its others. */
  readonly priority: number | undefined;
}

/** What a sitemap file holds: pages, or, as an index, further sitemaps. */
export interface Sitemap {
  readonly kind: 'pages' | 'index';
  /** In the order of the file, each once, at most 50,000. */
  readonly entries: readonly SitemapEntry[];
}

/** The most URLs that a sitemap may have (sitemaps.org, "Using Sitemap index files"). */
export const MAX_SITEMAP_ENTRIES = 50_000;

/** The most bytes that a sitemap may have, uncompressed (same place). */
export const MAX_SITEMAP_BYTES = 52_428_800;

/** Nobody's address is longer. */
const MAX_LOC_CHARS = 8_192;

/**
 * Reads a sitemap: XML by sitemaps.org under any namespace, an RSS 2.0 or Atom feed, or, where `named` (a robots.txt or
 * an index calls it a sitemap), a text of one URL a line. `undefined` for anything else.
 *
 * A file may be compressed by gzip. Broken XML gives the entries up to where it breaks. No entity of a document type is
 * expanded and no other file read: an address that would need one is left out. Relative addresses are read against the
 * file's own.
 */
export function readSitemap(
  file: Uint8Array,
  { url, contentType, named }: SitemapSource,
): Sitemap | undefined {
  // Not by its name: what ends in `.gz` may have been served as a content coding, and undone.
  const body = isGzip(file) ? unzipped(file) : file;
  const start = startOf(body);
  if (start.startsWith('<')) {
    return SITEMAP_ROOT.test(firstElementOf(start))
      ? readXml(textOf(body, contentType), url)
      : undefined;
  }
  return named ? readLines(textOf(body, contentType), url) : undefined;
}

/** As much as there is of a file that was cut; nothing of one that grows over the limit. */
function unzipped(file: Uint8Array): Uint8Array {
  try {
    return gunzipSync(file, {
      maxOutputLength: MAX_SITEMAP_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch {
    return new Uint8Array();
  }
}

/** Where a sitemap comes from. */
export interface SitemapSource {
  readonly url: RequestUrl;
  readonly contentType: string;
  readonly named: boolean;
}

const SITEMAP_ROOT = /^<(?:[\w-]+:)?(?:urlset|sitemapindex|rss|feed)[\s>]/iu;
const START_BYTES = 4_096;

/** Enough to tell what it is; NULs are those of UTF-16. */
function startOf(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, START_BYTES)).toString('latin1');
  return text
    .replace(/^(?:ï»¿|þÿ|ÿþ)/u, '')
    .replaceAll('\0', '')
    .trimStart();
}

/** What may stand before the root element (XML 1.0 §2.8), and how it ends. */
const PROLOG: readonly (readonly [begin: string, end: RegExp])[] = [
  ['<?', /\?>/u],
  ['<!--', /-->/u],
  ['<!', /^[^[>]*>|\]\s*>/u],
];

/** The text from its root element on; empty where that lies beyond the start. */
function firstElementOf(start: string): string {
  let rest = start;
  for (;;) {
    const misc = PROLOG.find(([begin]) => rest.startsWith(begin));
    if (misc === undefined) return rest;
    const [begin, end] = misc;
    const found = end.exec(rest.slice(begin.length));
    if (found === null) return '';
    rest = rest.slice(begin.length + found.index + found[0].length).trimStart();
  }
}

function textOf(body: Uint8Array, contentType: string): string {
  return decodeHtml(body.subarray(0, MAX_SITEMAP_BYTES), contentType).text.trimStart();
}

function readLines(text: string, base: RequestUrl): Sitemap {
  const entries = new EntryList(base);
  for (const line of text.split(/\r\n|\r|\n/u)) {
    const loc = line.trim();
    if (/^https?:/iu.test(loc)) entries.add({ loc, lastmod: '', priority: '' });
  }
  return { kind: 'pages', entries: entries.found };
}

function readXml(text: string, base: RequestUrl): Sitemap {
  const reader = new XmlReader(base);
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true });
  parser.write(text);
  parser.end();
  return { kind: reader.isIndex ? 'index' : 'pages', entries: reader.entries.found };
}

/** The texts of one block as they stand in the file. */
interface Block {
  loc: string;
  lastmod: string;
  priority: string;
}

/** Which element of a block says what, by the block's name. Elements of other places (image:loc) say nothing. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, keyof Block>>>> = {
  url: { loc: 'loc', lastmod: 'lastmod', priority: 'priority' },
  sitemap: { loc: 'loc', lastmod: 'lastmod' },
  item: { link: 'loc' },
  entry: { updated: 'lastmod' },
};

/** Deeper than any sitemap or feed; beyond, each element would take the parser time in proportion to its depth. */
const MAX_DEPTH = 200;

class XmlReader implements Partial<Handler> {
  readonly entries: EntryList;
  #parser: Parser | undefined;
  isIndex = false;
  readonly #path: string[] = [];
  #block: Block | undefined;
  #field: keyof Block | undefined;

  constructor(base: RequestUrl) {
    this.entries = new EntryList(base);
  }

  onparserinit(parser: Parser): void {
    this.#parser = parser;
  }

  onopentag(tag: string, attributes: Readonly<Record<string, string>>): void {
    const name = localName(tag);
    const parent = this.#path.at(-1) ?? '';
    if (this.#path.length === 0) this.isIndex = name === 'sitemapindex';
    this.#path.push(name);
    if (this.#path.length > MAX_DEPTH) this.#parser?.pause();
    if (Object.hasOwn(FIELDS, name)) this.#block = { loc: '', lastmod: '', priority: '' };
    this.#field = Object.hasOwn(FIELDS, parent) ? fieldOf(parent, name) : undefined;
    if (parent === 'entry' && name === 'link' && isPageLink(attributes) && this.#block) {
      this.#block.loc ||= attributes['href'] ?? '';
    }
  }

  /** A text comes in several pieces where it has references or CDATA. */
  ontext(text: string): void {
    if (this.#block === undefined || this.#field === undefined) return;
    const room = MAX_LOC_CHARS + 1 - this.#block[this.#field].length;
    this.#block[this.#field] += text.slice(0, Math.max(room, 0));
  }

  onclosetag(): void {
    const name = this.#path.pop() ?? '';
    this.#field = undefined;
    if (this.#block === undefined || !Object.hasOwn(FIELDS, name)) return;
    this.entries.add(this.#block);
    this.#block = undefined;
  }
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1).toLowerCase();
}

function fieldOf(block: string, name: string): keyof Block | undefined {
  const fields = FIELDS[block] ?? {};
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** RFC 4287 §4.2.7.2: a link without a relation is the alternate, the page itself. */
function isPageLink({ rel }: Readonly<Record<string, string>>): boolean {
  return rel === undefined || rel === 'alternate';
}

class EntryList {
  readonly #base: RequestUrl;
  readonly #byUrl = new Map<RequestUrl, SitemapEntry>();

  constructor(base: RequestUrl) {
    this.#base = base;
  }

  get found(): readonly SitemapEntry[] {
    return [...this.#byUrl.values()];
  }

  add({ loc, lastmod, priority }: Readonly<Block>): void {
    const written = loc.trim();
    if (written === '' || written.length > MAX_LOC_CHARS || hasEntity(written)) return;
    const url = parseRequestUrl(written, this.#base);
    if (url === undefined || this.#byUrl.has(url) || this.#byUrl.size >= MAX_SITEMAP_ENTRIES)
      return;
    this.#byUrl.set(url, {
      url,
      lastmodMs: parseW3cDateMs(lastmod),
      priority: priorityOf(priority.trim()),
    });
  }
}

/** What XML itself and numbers stand for has been decoded already; a bare `&` of a query has no semicolon. */
function hasEntity(loc: string): boolean {
  return /&[A-Za-z_][\w.-]*;/u.test(loc);
}

function priorityOf(text: string): number | undefined {
  const priority = /^(?:0?\.\d+|[01](?:\.\d*)?)$/u.test(text) ? Number(text) : NaN;
  return priority >= 0 && priority <= 1 ? priority : undefined;
}
