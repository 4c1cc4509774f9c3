import { parseRequestUrl } from '../domain/request-url.ts';
import { decodeHtml } from './charset.ts';
import { readTags } from './html-tags.ts';
import type { Attributes } from './html-tags.ts';

/** A page as it was fetched, its content codings undone. */
export interface PageSource {
  /** The request URL, against which relative links are read. */
  readonly url: string;
  /** The raw `Content-Type`; empty if there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** What a page says to a crawler. */
export interface ParsedPage {
  /** White space collapsed, free of NUL, at most 500 characters. */
  readonly title: string | undefined;
  /** Request URLs in the order of the page, each once, at most 10,000. */
  readonly links: readonly string[];
  /** `<meta name="robots">` asks that no link of the page be followed (R19). */
  readonly nofollowPage: boolean;
  /** `<meta name="robots">` asks that the page not be indexed (R19). */
  readonly noindex: boolean;
  /** The declared canonical (RFC 6596), a request URL; it is among the links too. */
  readonly canonical: string | undefined;
}

const MAX_LINKS = 10_000;
const MAX_TITLE_CHARS = 500;

/** References as they are written; several may lead to one link. */
const MAX_REFERENCES = 50_000;

/** Of all links together: a long base would multiply with their number. */
const MAX_LINK_CHARS = 10_000_000;

/**
 * What stands beyond is not read. The memory that a page may take is bounded here and in `readTags`, since V8 may
 * answer a thread that asks for more than its limit by ending the whole process.
 */
const MAX_PAGE_BYTES = 16_000_000;

const NO_PAGE: ParsedPage = {
  title: undefined,
  links: [],
  nofollowPage: false,
  noindex: false,
  canonical: undefined,
};

/**
 * Reads a page's links (R35): `a`, `area`, `frame`, `iframe`, `meta refresh`, and `link` with `next`, `prev` or
 * `canonical`, against `<base>`. Links marked `rel=nofollow` are among them. Only HTML has links; a body without
 * a type counts as HTML if it begins like it. The same bytes give the same answer (R37).
 */
export function extractPage({ url, contentType, body }: PageSource): ParsedPage {
  if (!isHtml(contentType, body)) return NO_PAGE;
  const notes = new PageNotes();
  readTags(decodeHtml(body.subarray(0, MAX_PAGE_BYTES), contentType).text, notes);

  const base = parseRequestUrl(notes.base ?? '', url) ?? url;
  return {
    title: titleOf(notes.title),
    links: resolveAll(notes.references, base),
    nofollowPage: notes.robots.has('nofollow') || notes.robots.has('none'),
    noindex: notes.robots.has('noindex') || notes.robots.has('none'),
    canonical: notes.canonical === undefined ? undefined : parseRequestUrl(notes.canonical, base),
  };
}

function isHtml(contentType: string, body: Uint8Array): boolean {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== '') return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
  const start = Buffer.from(body.subarray(0, 512)).toString('latin1').replaceAll('\0', '');
  return /^\W*<(!doctype html|!--|html|head|body|title|meta|script|div|table|h1|p|a|br)\b/i.test(
    start,
  );
}

/** Collects references as they are written: a `<base>` further down holds for those above it too. */
class PageNotes {
  readonly references = new Set<string>();
  readonly robots = new Set<string>();
  base: string | undefined;
  canonical: string | undefined;
  title: string | undefined;
  #isInTitle = false;
  #svgDepth = 0;

  readonly onOpenTag = (name: string, attributes: Attributes): void => {
    switch (name) {
      case 'a':
      case 'area':
        this.#refer(attributes.get('href'));
        break;
      case 'frame':
      case 'iframe':
        this.#refer(attributes.get('src'));
        break;
      case 'base':
        this.base ??= attributes.get('href');
        break;
      case 'link':
        this.#noteLink(attributes);
        break;
      case 'meta':
        this.#noteMeta(attributes);
        break;
      case 'title':
        this.#isInTitle = this.title === undefined && this.#svgDepth === 0;
        break;
      case 'svg':
        this.#svgDepth += 1;
        break;
    }
  };

  readonly onCloseTag = (name: string): void => {
    if (name === 'title') this.#isInTitle = false;
    else if (name === 'svg') this.#svgDepth = Math.max(0, this.#svgDepth - 1);
  };

  readonly onText = (text: string): void => {
    if (!this.#isInTitle || (this.title?.length ?? 0) > 4 * MAX_TITLE_CHARS) return;
    this.title = (this.title ?? '') + text.slice(0, 4 * MAX_TITLE_CHARS);
  };

  #refer(reference: string | undefined): void {
    if (reference === undefined || this.references.size >= MAX_REFERENCES) return;
    this.references.add(reference);
  }

  #noteLink(attributes: Attributes): void {
    const href = attributes.get('href');
    const relations = wordsOf(attributes.get('rel'));
    if (relations.includes('canonical')) this.canonical ??= href;
    if (relations.some((word) => word === 'next' || word === 'prev' || word === 'canonical')) {
      this.#refer(href);
    }
  }

  #noteMeta(attributes: Attributes): void {
    const content = attributes.get('content') ?? '';
    if (attributes.get('name')?.toLowerCase() === 'robots') {
      for (const word of wordsOf(content)) this.robots.add(word);
    }
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') {
      this.#refer(refreshTarget(content));
    }
  }
}

function wordsOf(list: string | undefined): readonly string[] {
  return (list ?? '').toLowerCase().split(/[\s,;]+/);
}

/** `5; url='next.html'` (HTML §4.2.5.3); a refresh without a URL reloads the page and is no link. */
function refreshTarget(content: string): string | undefined {
  const target = /^[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(\S.*)$/is.exec(content)?.[1];
  return target?.replace(/^(["'])(.*?)\1?$/s, '$2');
}

function titleOf(title: string | undefined): string | undefined {
  const text = (title ?? '').replaceAll('\0', '').replace(/\s+/g, ' ').trim();
  // With the flag `u` only halves of a pair match: Postgres takes no such thing.
  const whole = text.slice(0, MAX_TITLE_CHARS).replace(/[\uD800-\uDFFF]/gu, '\uFFFD');
  return whole === '' ? undefined : whole;
}

function resolveAll(references: Iterable<string>, base: string): readonly string[] {
  const links = new Set<string>();
  let chars = 0;
  for (const reference of references) {
    const link = parseRequestUrl(reference, base);
    if (link === undefined || links.has(link)) continue;
    chars += link.length;
    if (links.size >= MAX_LINKS || chars > MAX_LINK_CHARS) break;
    links.add(link);
  }
  return [...links];
}
