/** Elements of SVG and MathML that hold HTML again (HTML §13.2.6), each inside its own kind. */
const HOLDING_HTML: Readonly<Record<string, ReadonlySet<string>>> = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext']),
};

/** Tags that end SVG and MathML wherever they stand (HTML §13.2.6.5): nobody meant them to be part of it. */
const BREAKING_OUT: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/** Deeper ones are not told apart; our choice. */
const MOST_DEPTH = 500;

/**
 * Whether a page is inside SVG or MathML just now, where tags mean other things: a `script` there is an element like
 * others, a `title` isn't the page's, a slash closes. Knows the elements that part HTML from the rest, and no others, so
 * that broken nesting is told about as browsers do, not exactly so.
 */
export class ForeignContent {
  readonly #open: string[] = [];

  get isInside(): boolean {
    return Object.hasOwn(HOLDING_HTML, this.#open.at(-1) ?? '');
  }

  /** Takes an opening tag; gives whether it is a tag of SVG or MathML. */
  open(name: string, isSelfClosing: boolean): boolean {
    if (this.#open.length > 0 && BREAKING_OUT.has(name)) this.#breakOut();
    const isForeign = this.isInside;
    const kind = this.#open.at(-1) ?? '';
    const isKept = isForeign
      ? name === kind || HOLDING_HTML[kind]?.has(name) === true
      : Object.hasOwn(HOLDING_HTML, name);
    if (isKept && !isSelfClosing && this.#open.length < MOST_DEPTH) this.#open.push(name);
    return isForeign;
  }

  /** Takes a closing tag; gives whether it is one of SVG or MathML. */
  close(name: string): boolean {
    if (this.#open.length === 0) return false;
    const wasInside = this.isInside;
    if (wasInside && BREAKING_OUT.has(name)) {
      this.#breakOut();
      return false;
    }
    // Inside HTML that is held, only its holder's own tag ends it.
    const at = wasInside ? this.#open.lastIndexOf(name) : this.#open.at(-1) === name ? -2 : -1;
    if (at >= 0) this.#open.length = at;
    else if (at === -2) this.#open.pop();
    return wasInside || at === -2;
  }

  #breakOut(): void {
    while (this.isInside) this.#open.pop();
  }
}
