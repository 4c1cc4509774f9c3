/** How a piece of text looks on a terminal with colours. */
export type Look = 'plain' | 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** A piece of text and its look. */
export interface Piece {
  readonly text: string;
  readonly look: Look;
}

const CODES: Readonly<Record<Exclude<Look, 'plain'>, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
};

/** Wraps a text in the escape codes of its look (ECMA-48 SGR); as it is where there are no colours. */
export function paint({ text, look }: Piece, colours: boolean): string {
  if (!colours || look === 'plain' || text === '') return text;
  const [on, off] = CODES[look];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** A piece without a look of its own. */
export function plain(text: string): Piece {
  return { text, look: 'plain' };
}

/** Cuts to `width` columns; what is cut shows as `…`. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`;
}

/**
 * Makes text from the web harmless on a terminal: control characters, which could move the cursor or rename the
 * window, show as `?`.
 */
export function harmless(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}
