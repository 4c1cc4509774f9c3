import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { ForeignContent } from './foreign-content.ts';
import { endOfComment, endOfRawText, isRawText } from './raw-text.ts';

/** The attributes that matter to a crawler. */
const ATTRIBUTE_NAMES = [
  'href',
  'xlink:href',
  'src',
  'srcset',
  'data-src',
  'data-srcset',
  'poster',
  'rel',
  'name',
  'content',
  'http-equiv',
  'charset',
  'shadowrootmode',
] as const;
type AttributeName = (typeof ATTRIBUTE_NAMES)[number];
const LONGEST_NAME = Math.max(...ATTRIBUTE_NAMES.map(({ length }) => length));

/**
 * Those attributes of a tag, their entities decoded, white space around dropped; of repeated ones the first.
 * Values over `MAX_VALUE_CHARS` are left out.
 */
export type Attributes = ReadonlyMap<AttributeName, string>;

/** What is told while a page is read, in the order of the page. */
export interface TagListener {
  /** A tag of HTML, or an `a` of SVG; names are in lower case. */
  readonly onOpenTag: (name: string, attributes: Attributes) => void;
  readonly onCloseTag: (name: string) => void;
  /** The text of a `title` of HTML, its entities decoded. */
  readonly onTitle: (text: string) => void;
}

/** Nobody's address is longer; 10,000 of them, or one as the base of 10,000, would fill the memory. */
const MAX_VALUE_CHARS = 8_192;
/** An entity is rarely written with more letters than this for each character. */
const MAX_WRITTEN_CHARS = 8 * MAX_VALUE_CHARS;

/**
 * Reads a page's tags, and no tree: the time is linear in the page and the memory constant beside it, however deeply its
 * tags are nested or however many attributes one has (R36). Tags end where a browser has them end (HTML §13.2.5): what
 * stands in comments, scripts, styles and other elements of text alone is no tag. Scripting is off, so that what
 * `noscript` holds is.
 *
 * @param isXml whether a slash closes an element also where HTML ignores it (`<script/>`).
 */
export function readTags(html: string, listener: TagListener, isXml = false): void {
  const reader = new TagReader(html, listener, isXml);
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) at = reader.read(at);
}

const NAME = /[^\t\n\f\r />]*/y;
/** An equals sign may only begin a name. */
const ATTRIBUTE_NAME = /=?[^\t\n\f\r />=]*/y;
const UNQUOTED = /[^\t\n\f\r >]*/y;
const BLANKS = /[\t\n\f\r ]*/y;
const LETTER = /[A-Za-z]/y;

class TagReader {
  readonly #html: string;
  readonly #listener: TagListener;
  readonly #isXml: boolean;
  readonly #foreign = new ForeignContent();
  /** Everything before is read. */
  #at = 0;

  constructor(html: string, listener: TagListener, isXml: boolean) {
    this.#html = html;
    this.#listener = listener;
    this.#isXml = isXml;
  }

  /** Reads what begins with the `<` at this place; gives the place behind it. */
  read(at: number): number {
    const next = this.#html.charAt(at + 1);
    this.#at = at + 1;
    if (next === '!') this.#passDeclaration(at + 2);
    else if (next === '?') this.#passBehind('>');
    else if (next !== '/') {
      if (this.#skip(LETTER)) this.#openTag(at + 1);
    } else {
      this.#at = at + 2;
      if (this.#skip(LETTER)) this.#closeTag(at + 2);
      else this.#passBehind('>');
    }
    return this.#at;
  }

  /** Comments, and what counts as one (HTML §13.2.5.42). */
  #passDeclaration(at: number): void {
    this.#at = at;
    if (this.#html.startsWith('--', at)) this.#at = endOfComment(this.#html, at + 2);
    else {
      const isCdata = this.#foreign.isInside && this.#html.startsWith('[CDATA[', at);
      this.#passBehind(isCdata ? ']]>' : '>');
    }
  }

  #openTag(start: number): void {
    const name = this.#nameFrom(start);
    const attributes = new Map<AttributeName, string>();
    const end = this.#passAttributes(attributes);
    if (end === 'none') return;

    const isForeign = this.#foreign.open(name, end === 'selfClosing');
    if (!isForeign || name === 'a') this.#listener.onOpenTag(name, attributes);
    const isEmpty = this.#isXml && end === 'selfClosing';
    if (!isForeign && !isEmpty && isRawText(name)) this.#passRawText(name);
  }

  #closeTag(start: number): void {
    const name = this.#nameFrom(start);
    if (this.#passAttributes() === 'none') return;
    if (!this.#foreign.close(name)) this.#listener.onCloseTag(name);
  }

  #passRawText(name: string): void {
    const start = this.#at;
    this.#at = endOfRawText(name, this.#html, start);
    if (name !== 'title') return;
    const written = this.#html.slice(start, Math.min(this.#at, start + MAX_WRITTEN_CHARS));
    this.#listener.onTitle(decodeHTML(written));
  }

  /** Passes over a tag's attributes to its end, and keeps those that matter. `none`: it never ends, so it is no tag. */
  #passAttributes(kept?: Map<AttributeName, string>): 'plain' | 'selfClosing' | 'none' {
    for (;;) {
      this.#skip(BLANKS);
      const start = this.#at;
      const first = this.#html.charAt(start);
      if (first === '') return 'none';
      if (first === '>' || first === '/') {
        this.#at += 1;
        if (first === '>') return 'plain';
        if (this.#passOver('>')) return 'selfClosing';
        continue;
      }
      this.#skip(ATTRIBUTE_NAME);
      const name = kept === undefined ? undefined : nameOf(this.#html, start, this.#at);
      this.#skip(BLANKS);
      const written = this.#passOver('=') ? this.#passValue() : '';
      if (kept !== undefined && name !== undefined && !kept.has(name)) keep(kept, name, written);
    }
  }

  /** A value as written; the missing one of `a=>` is empty, and one that never ends reaches to the page's end. */
  #passValue(): string {
    this.#skip(BLANKS);
    const start = this.#at;
    const quote = this.#html.charAt(start);
    if (quote !== '"' && quote !== "'") {
      this.#skip(UNQUOTED);
      return this.#html.slice(start, this.#at);
    }
    this.#at += 1;
    this.#passBehind(quote);
    return this.#html.slice(start + 1, this.#at - 1);
  }

  #nameFrom(start: number): string {
    this.#skip(NAME);
    return this.#html.slice(start, this.#at).toLowerCase();
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isThere = pattern.test(this.#html);
    if (isThere) this.#at = pattern.lastIndex;
    return isThere;
  }

  #passOver(character: string): boolean {
    const isThere = this.#html.charAt(this.#at) === character;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #passBehind(text: string): void {
    const found = this.#html.indexOf(text, this.#at);
    this.#at = found < 0 ? this.#html.length : found + text.length;
  }
}

function nameOf(html: string, start: number, end: number): AttributeName | undefined {
  if (end - start > LONGEST_NAME) return undefined;
  const name = html.slice(start, end).toLowerCase();
  return ATTRIBUTE_NAMES.find((other) => other === name);
}

function keep(kept: Map<AttributeName, string>, name: AttributeName, written: string): void {
  if (written.length > MAX_WRITTEN_CHARS) return;
  const value = written.includes('&') ? decodeHTMLAttribute(written) : written;
  if (value.length <= MAX_VALUE_CHARS) kept.set(name, value.replaceAll('\0', '\uFFFD').trim());
}
