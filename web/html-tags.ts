import { Tokenizer } from 'htmlparser2';
import type { TokenizerCallbacks } from 'htmlparser2';

/** Attributes of a tag by lower-case name, their entities decoded; of repeated ones the first. */
export type Attributes = ReadonlyMap<string, string>;

/** What is told while a page is read, in the order of the page. */
export interface TagListener {
  readonly onOpenTag: (name: string, attributes: Attributes) => void;
  readonly onCloseTag: (name: string) => void;
  readonly onText: (text: string) => void;
}

/**
 * Reads a page's tags and text, and no tree: the time is linear in the page, however deeply its tags are nested
 * or however many attributes one has (R36). What stands in scripts, styles and comments is no tag.
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
  #attributes = new Map<string, string>();
  #attributeName = '';
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
    this.#attributeName = this.#html.slice(start, end).toLowerCase();
    this.#attributeValue = '';
  }

  onattribdata(start: number, end: number): void {
    this.#attributeValue += this.#html.slice(start, end);
  }

  onattribentity(codepoint: number): void {
    this.#attributeValue += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    if (this.#attributes.has(this.#attributeName)) return;
    this.#attributes.set(this.#attributeName, this.#attributeValue);
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
