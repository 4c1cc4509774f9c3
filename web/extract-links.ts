import { mediaTypeOf } from '../domain/media-type.ts';
import type { RobotsMeta } from '../domain/robots-directives.ts';
import { asRequestUrl, parseRequestUrl, readReference } from '../domain/request-url.ts';
import { decodeHtml } from './charset.ts';
import { readTags } from './html-tags.ts';
import { PageNotes } from './page-notes.ts';
import { readSitemap, type Sitemap } from './read-sitemap.ts';

/** A page as it was fetched, its content codings undone. */
export interface PageSource {
  /** The request URL, against which relative links are read. */
  readonly url: string;
  /** The raw `Content-Type`; empty if there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether a robots.txt, or an index that it names, calls it a sitemap. */
  readonly namedSitemap?: boolean;
  /** Whether what a page shows counts as linked too: images (`srcset` and lazy ones), media, scripts, style sheets. */
  readonly embeds?: boolean;
}

/** How many references of a page say what no crawler keeps; of several that are written alike, one counts. */
export interface DroppedReferences {
  /** Neither http nor https: `mailto:`, `javascript:`, `data:`, `blob:` and whatever comes. */
  readonly scheme: number;
  /** No URL at all. */
  readonly malformed: number;
  /** A user's name or password, which was cut out of the link. */
  readonly userinfo: number;
}

/** What a page says to a crawler. */
export interface ParsedPage {
  /** Where it is a sitemap; it has nothing else then. */
  readonly sitemap?: Sitemap;
  /** White space collapsed, free of NUL, at most 500 characters. */
  readonly title: string | undefined;
  /** Request URLs in the order of the page, each once, at most 10,000. */
  readonly links: readonly string[];
  /** Those of the links that stand only where `rel` says `nofollow`, `ugc` or `sponsored` (R19). */
  readonly nofollowLinks: readonly string[];
  readonly dropped: DroppedReferences;
  /** Whether it has more links than are kept. */
  readonly cut: boolean;
  /** Its `meta` tags that may speak to robots (R19): any that has a name of one word. */
  readonly robots: readonly RobotsMeta[];
  /** The declared canonical (RFC 6596), a request URL; it is among the links too. */
  readonly canonical: string | undefined;
}

const MAX_LINKS = 10_000;
const MAX_TITLE_CHARS = 500;

/** Of all links together: a long base would multiply with their number. */
const MAX_LINK_CHARS = 10_000_000;

/**
 * What stands beyond is not read. The memory that a page may take is bounded here and in `readTags`, since V8 may
 * answer a thread that asks for more than its limit by ending the whole process.
 */
const MAX_PAGE_BYTES = 16_000_000;

const NONE_DROPPED: DroppedReferences = { scheme: 0, malformed: 0, userinfo: 0 };

const NO_PAGE: ParsedPage = {
  title: undefined,
  links: [],
  nofollowLinks: [],
  dropped: NONE_DROPPED,
  cut: false,
  robots: [],
  canonical: undefined,
};

/**
 * Reads a page's links (R35): `a`, `area`, `frame`, `iframe`, `meta refresh`, and `link` with `next`, `prev` or
 * `canonical`, against `<base>`. Links marked `rel=nofollow` are among them; what a `template` keeps back is not. Only
 * HTML has links, and sitemaps have entries; a body without a type counts as HTML if it begins like it. The same bytes
 * give the same answer (R37).
 */
export function extractPage(source: PageSource): ParsedPage {
  const { url, contentType, body, embeds = false, namedSitemap = false } = source;
  const isPage = isHtml(contentType, body);
  if (!isPage || namedSitemap) {
    const sitemap = readSitemap(body, { url: asRequestUrl(url), contentType, named: namedSitemap });
    if (sitemap !== undefined) return { ...NO_PAGE, sitemap };
  }
  if (!isPage) return NO_PAGE;
  const notes = new PageNotes(embeds);
  const { text } = decodeHtml(body.subarray(0, MAX_PAGE_BYTES), contentType);
  readTags(text, notes, mediaTypeOf(contentType) === 'application/xhtml+xml');

  const base = parseRequestUrl(notes.base ?? '', url) ?? url;
  const { followed, nofollow, dropped, cut } = resolveAll(notes.references, base);
  return {
    title: titleOf(notes.title),
    links: followed,
    nofollowLinks: nofollow,
    dropped,
    cut: cut || notes.cut,
    robots: notes.robots,
    canonical: notes.canonical === undefined ? undefined : parseRequestUrl(notes.canonical, base),
  };
}

function isHtml(contentType: string, body: Uint8Array): boolean {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType !== '') return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
  const start = Buffer.from(body.subarray(0, 512)).toString('latin1').replaceAll('\0', '');
  return /^\W*<(!doctype html|!--|html|head|body|title|meta|script|div|table|h1|p|a|br)\b/i.test(
    start,
  );
}

function titleOf(title: string | undefined): string | undefined {
  const text = (title ?? '').replaceAll('\0', '').replace(/\s+/g, ' ').trim();
  // With the flag `u` only halves of a pair match: Postgres takes no such thing.
  const whole = text.slice(0, MAX_TITLE_CHARS).replace(/[\uD800-\uDFFF]/gu, '\uFFFD');
  return whole === '' ? undefined : whole;
}

interface ResolvedLinks {
  readonly followed: readonly string[];
  readonly nofollow: readonly string[];
  readonly dropped: DroppedReferences;
  readonly cut: boolean;
}

function resolveAll(
  references: ReadonlyMap<string, { readonly nofollow: boolean }>,
  base: string,
): ResolvedLinks {
  // Two references may lead to one link; it is free where one of them is.
  const links = new Map<string, { nofollow: boolean }>();
  const dropped: Record<keyof DroppedReferences, number> = { ...NONE_DROPPED };
  let chars = 0;
  let cut = false;
  for (const [reference, { nofollow }] of references) {
    const read = readReference(reference, base);
    if (read.kind !== 'url') {
      dropped[read.kind] += 1;
      continue;
    }
    if (read.hadUserinfo) dropped.userinfo += 1;
    const known = links.get(read.url);
    if (known !== undefined) {
      known.nofollow &&= nofollow;
      continue;
    }
    chars += read.url.length;
    cut = links.size >= MAX_LINKS || chars > MAX_LINK_CHARS;
    if (cut) break;
    links.set(read.url, { nofollow });
  }
  const marked = [...links].filter(([, { nofollow }]) => nofollow);
  return { followed: [...links.keys()], nofollow: marked.map(([link]) => link), dropped, cut };
}
