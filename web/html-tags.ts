import { Tokenizer } from 'htmlparser2';
import type { TokenizerCallbacks } from 'htmlparser2';

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
  readonly onOpenTag: (name: string, attributes: Attributes) => void;
  readonly onCloseTag: (name: string) => void;
  readonly onText: (text: string) => void;
}

/** Nobody's address is longer; 10,000 of them, or one as the base of 10,000, would fill the memory. */
const MAX_VALUE_CHARS = 8_192;

/**
 * Reads a page's tags and text, and no tree: the time is linear in the page and the memory constant beside it,
 * however deeply its tags are nested or however many attributes one has (R36). What stands in scripts, styles and
 * comments is no tag.
 */
export function readTags(html: string, listener: TagListener): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new TagReader(html, listener));
  tokenizer.write(html);
  tokenizer.end();
}

class TagReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #listener: TagListener;
  #name = '';
  #attributes = new Map<AttributeName, string>();
  #attributeName: AttributeName | undefined;
  #attributeValue = '';

  constructor(html: string, listener: TagListener) {
    this.#html = html;
    this.#listener = listener;
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    const length = end - start;
    const name = length > LONGEST_NAME ? '' : this.#html.slice(start, end).toLowerCase();
    this.#attributeName = ATTRIBUTE_NAMES.find((other) => other === name);
    this.#attributeValue = '';
  }

  onattribdata(start: number, end: number): void {
    // One character over the limit says that it is over: what follows is of no use.
    const roomChars = MAX_VALUE_CHARS + 1 - this.#attributeValue.length;
    if (this.#attributeName === undefined || roomChars <= 0) return;
    this.#attributeValue += this.#html.slice(start, Math.min(end, start + roomChars));
  }

  onattribentity(codepoint: number): void {
    if (this.#attributeName === undefined || this.#attributeValue.length > MAX_VALUE_CHARS) return;
    this.#attributeValue += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    const name = this.#attributeName;
    if (name === undefined || this.#attributes.has(name)) return;
    if (this.#attributeValue.length <= MAX_VALUE_CHARS) {
      this.#attributes.set(name, this.#attributeValue.trim());
    }
  }

  onopentagend(): void {
    this.#listener.onOpenTag(this.#name, this.#attributes);
  }

  onselfclosingtag(): void {
    this.#listener.onOpenTag(this.#name, this.#attributes);
  }

  onclosetag(start: number, end: number): void {
    this.#listener.onCloseTag(this.#html.slice(start, end).toLowerCase());
  }

  ontext(start: number, end: number): void {
    this.#listener.onText(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    this.#listener.onText(String.fromCodePoint(codepoint));
  }

  oncdata(): void {
    return;
  }

  oncomment(): void {
    return;
  }

  ondeclaration(): void {
    return;
  }

  onprocessinginstruction(): void {
    return;
  }

  onend(): void {
    return;
  }
}
