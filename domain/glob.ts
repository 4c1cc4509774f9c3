/** A pattern in which `*` stands for any characters, slashes among them, or for none; made ready once, tested often. */
export interface Glob {
  readonly first: string;
  /** What must follow in this order; between two lies anything. */
  readonly middle: readonly Needle[];
  /** How the text must end; absent in a pattern without `*`. */
  readonly last?: string;
}

interface Needle {
  readonly text: string;
  /** By how much a match shrinks where it breaks off after so many characters (Knuth, Morris and Pratt 1977). */
  readonly borders: readonly number[];
}

/** Reads a pattern; every text is one. */
export function globOf(pattern: string): Glob {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  const middle = rest
    .filter((text) => text !== '')
    .map((text) => ({ text, borders: borders(text) }));
  return last === undefined ? { first, middle } : { first, middle, last };
}

/**
 * Whether the whole text is as the pattern says. The cost is linear in the text and the pattern, whatever either is:
 * each part is looked for once, behind the part before it, and the earliest place is always good enough.
 */
export function isGlobMatch({ first, middle, last }: Glob, text: string): boolean {
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const needle of middle) {
    at = endOf(needle, text, at);
    if (at < 0) return false;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Behind the first place from `from` on; -1 where there is none. A search of the language's own may be quadratic. */
function endOf({ text: needle, borders }: Needle, text: string, from: number): number {
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== needle[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === needle[matched]) matched += 1;
    if (matched === needle.length) return at + 1;
  }
  return -1;
}

/** For each beginning of the text, the longest proper beginning of it that is its end, too. */
function borders(text: string): readonly number[] {
  const lengths = [0];
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== text[matched]) matched = lengths[matched - 1] ?? 0;
    if (text[at] === text[matched]) matched += 1;
    lengths.push(matched);
  }
  return lengths;
}
