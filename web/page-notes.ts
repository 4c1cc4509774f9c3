import { refreshTarget } from '../domain/refresh.ts';
import type { RobotsMeta } from '../domain/robots-directives.ts';
import type { Attributes, TagListener } from './html-tags.ts';
import { addressesOf } from './srcset.ts';

/** References as they are written; several may lead to one link. */
const MAX_REFERENCES = 50_000;

/** Of a title, before its white space is collapsed; our choice. */
const MAX_TITLE_CHARS = 2_000;

/** Collects references as they are written: a `<base>` further down holds for those above it too. */
export class PageNotes implements TagListener {
  /** Each reference, and whether all the places where it stands say not to follow it. */
  readonly references = new Map<string, { nofollow: boolean }>();
  readonly robots: RobotsMeta[] = [];
  base: string | undefined;
  canonical: string | undefined;
  title: string | undefined;
  cut = false;
  readonly #embeds: boolean;
  /** Open templates, each with whether its content is shown (a declarative shadow root). */
  readonly #templates: boolean[] = [];

  constructor(embeds: boolean) {
    this.#embeds = embeds;
  }

  readonly onOpenTag = (name: string, attributes: Attributes): void => {
    if (name === 'template') this.#openTemplate(attributes);
    if (this.#templates.includes(false)) return;
    if (this.#embeds) this.#noteEmbeds(name, attributes);
    switch (name) {
      case 'a':
      case 'area':
        this.#refer(attributes.get('href') ?? attributes.get('xlink:href'), attributes);
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
    }
  };

  readonly onCloseTag = (name: string): void => {
    if (name === 'template') this.#templates.pop();
  };

  readonly onTitle = (text: string): void => {
    if (text !== '' && !this.#templates.includes(false))
      this.title ??= text.slice(0, MAX_TITLE_CHARS);
  };

  #openTemplate(attributes: Attributes): void {
    if (this.#templates.length < MAX_TEMPLATES)
      this.#templates.push(attributes.has('shadowrootmode'));
  }

  #refer(reference: string | undefined, attributes?: Attributes): void {
    if (reference === undefined) return;
    const nofollow = wordsOf(attributes?.get('rel')).some((word) => NOFOLLOW.has(word));
    const known = this.references.get(reference);
    if (known !== undefined) known.nofollow &&= nofollow;
    else if (this.references.size < MAX_REFERENCES) this.references.set(reference, { nofollow });
    else this.cut = true;
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
    const name = attributes.get('name') ?? '';
    if (/^[\w-]{1,50}$/u.test(name) && this.robots.length < MAX_ROBOTS_METAS) {
      this.robots.push({ name, content: content.slice(0, MAX_ROBOTS_CHARS) });
    }
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') {
      this.#refer(refreshTarget(content));
    }
  }

  #noteEmbeds(name: string, attributes: Attributes): void {
    if (SHOWING.has(name)) {
      for (const attribute of ['src', 'data-src', 'poster'] as const) {
        this.#refer(attributes.get(attribute));
      }
      for (const attribute of ['srcset', 'data-srcset'] as const) {
        for (const address of addressesOf(attributes.get(attribute) ?? '')) this.#refer(address);
      }
    }
    const isShown = wordsOf(attributes.get('rel')).some((word) => SHOWN.has(word));
    if (name === 'link' && isShown) this.#refer(attributes.get('href'));
  }
}

/** Google's three words of one meaning; only the first is in HTML (§4.6.7.11). */
const NOFOLLOW: ReadonlySet<string> = new Set(['nofollow', 'ugc', 'sponsored']);

const SHOWING: ReadonlySet<string> = new Set([
  'audio',
  'embed',
  'img',
  'input',
  'script',
  'source',
  'track',
  'video',
]);
const SHOWN: ReadonlySet<string> = new Set(['stylesheet', 'icon', 'apple-touch-icon', 'preload']);

/** Nobody honest has more; they bound what goes from a parse thread to the worker. */
const MAX_ROBOTS_METAS = 50;
const MAX_ROBOTS_CHARS = 500;
const MAX_TEMPLATES = 1_000;

function wordsOf(list: string | undefined): readonly string[] {
  return (list ?? '').toLowerCase().split(/[\s,;]+/);
}
