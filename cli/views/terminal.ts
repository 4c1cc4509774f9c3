const CLEAR_TO_END = '\u001b[J';

const NARROWEST = 20;

/** Where a command writes: results on standard output, remarks on standard error. */
export interface Terminal {
  /** Whether standard output is a screen that can be redrawn in place. */
  readonly isLive: boolean;
  readonly colours: boolean;
  /** Columns, read anew each time: windows change their size. */
  readonly width: () => number;
  /** Writes one line of results. */
  readonly print: (line: string) => void;
  /** Writes one line of remarks; a drawing stays below it. */
  readonly note: (line: string) => void;
  /** Draws these lines at the bottom, in the place of those drawn before. */
  readonly draw: (lines: readonly string[]) => void;
  /** Removes the drawing. */
  readonly erase: () => void;
}

/** What is asked of a standard stream; `hasColors` honours NO_COLOR and TERM. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly hasColors?: () => boolean;
  /** Calls `taken` once the text is out of our hands. */
  readonly write: (text: string, taken?: () => void) => unknown;
}

/** Speaks to a person or a pipe; `quiet` drops the remarks. */
export function terminalOn(
  out: Screen,
  err: Screen,
  { quiet = false }: { readonly quiet?: boolean } = {},
): Terminal {
  const isLive = out.isTTY === true;
  let drawn: readonly string[] = [];

  const erase = (): void => {
    if (drawn.length > 0) out.write(`\u001b[${drawn.length}A\r${CLEAR_TO_END}`);
    drawn = [];
  };
  const draw = (lines: readonly string[]): void => {
    erase();
    // A drawing taller than the window could not be erased again: the cursor stops at its top.
    drawn = lines.slice(0, Math.max(1, (out.rows ?? 24) - 1));
    if (drawn.length > 0) out.write(`${drawn.join('\n')}\n`);
  };
  const above = (write: () => void): void => {
    const kept = drawn;
    erase();
    write();
    if (kept.length > 0) draw(kept);
  };

  return {
    isLive,
    colours: isLive && out.hasColors?.() === true,
    width: () => Math.max(NARROWEST, (out.columns ?? 80) - 1),
    print: (line) => {
      above(() => out.write(`${line}\n`));
    },
    note: (line) => {
      if (quiet) return;
      above(() => err.write(`${line}\n`));
    },
    draw,
    erase,
  };
}
