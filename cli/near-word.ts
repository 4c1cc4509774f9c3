/** The word that somebody most likely meant; `undefined` where none is near. Case, `-` and `_` don't count. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = ranked(word, words);
  // A third of the word may be wrong.
  return best !== undefined && best.edits <= Math.max(1, plain(word).length / 3)
    ? best.known
    : undefined;
}

/** The words, the most similar first. */
export function nearestFirst(word: string, words: readonly string[]): readonly string[] {
  return ranked(word, words).map(({ known }) => known);
}

function ranked(
  word: string,
  words: readonly string[],
): readonly { readonly known: string; readonly edits: number }[] {
  const typed = plain(word);
  return words
    .map((known) => ({ known, edits: editsBetween(typed, plain(known)) }))
    .sort((one, other) => one.edits - other.edits);
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}

/** How many letters to add, drop, replace or swap with their neighbour (Damerau-Levenshtein, restricted). */
function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      now[column] = Math.min(
        (above[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    before = above;
    above = now;
  }
  return above[to.length] ?? 0;
}
