import { cut, harmless, paint } from './ansi.ts';

/** A column of a table for people. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** The fewest columns of the screen that it may be cut to; absent, it is never cut. */
  readonly narrowest?: number;
  /** Where there is no room the highest goes first; 0 stays. */
  readonly dropped: number;
}

const BETWEEN = '  ';

/**
 * Sets rows under their titles, none wider than `width`: columns are cut as far as they allow, then dropped. Text is
 * made harmless. Without a `width` (a pipe) everything is shown.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, colours }: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  const clean = rows.map((row) => row.map(harmless));
  const natural = columns.map(({ title }, at) =>
    Math.max(title.length, ...clean.map((row) => (row[at] ?? '').length)),
  );
  const widths = fitted(columns, natural, width);
  const line = (cells: readonly string[]): string =>
    cut(
      cells
        .flatMap((cell, at) => {
          const columnWidth = widths[at];
          return columnWidth === undefined ? [] : [set(cell, columnWidth, columns[at]?.align)];
        })
        .join(BETWEEN)
        .trimEnd(),
      width,
    );
  const head = paint({ text: line(columns.map(({ title }) => title)), look: 'dim' }, colours);
  return [head, ...clean.map(line)];
}

/** The width of each column; `undefined` for those that are dropped. */
function fitted(
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): readonly (number | undefined)[] {
  const least = columns.map(({ narrowest }, at) => {
    const own = natural[at] ?? 0;
    return narrowest === undefined ? own : Math.min(narrowest, own);
  });
  const kept = new Set(columns.keys());
  const needed = (): number =>
    [...kept].reduce((sum, at) => sum + (least[at] ?? 0) + BETWEEN.length, -BETWEEN.length);
  while (needed() > width) {
    const next = [...kept].reduce((a, b) => (rankOf(columns, b) > rankOf(columns, a) ? b : a));
    if (rankOf(columns, next) === 0) break;
    kept.delete(next);
  }
  let free = Math.max(0, width - needed());
  return columns.map((_, at) => {
    if (!kept.has(at)) return undefined;
    const own = least[at] ?? 0;
    const more = Math.min(free, (natural[at] ?? 0) - own);
    free -= more;
    return own + more;
  });
}

function rankOf(columns: readonly Column[], at: number): number {
  return columns[at]?.dropped ?? 0;
}

function set(cell: string, width: number, align: Column['align']): string {
  const text = cut(cell, width);
  return align === 'right' ? text.padStart(width) : text.padEnd(width);
}
