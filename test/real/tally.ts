/** Runs checks one after another, prints a line for each and keeps count. */
export interface Tally {
  /** What the check gives, or `undefined` if it threw; a failure is printed with its reason and never ends the run. */
  readonly check: <T>(law: string, run: () => T | Promise<T>) => Promise<T | undefined>;
  /** Prints `N passed, N failed`; returns the exit code. */
  readonly sumUp: () => number;
}

export function createTally(print: (line: string) => void): Tally {
  let passed = 0;
  let failed = 0;
  return {
    check: async (law, run) => {
      try {
        const value = await run();
        passed += 1;
        print(`✓ ${law}`);
        return value;
      } catch (error) {
        failed += 1;
        print(`✗ ${law}\n${indented(error instanceof Error ? error.message : String(error))}`);
        return undefined;
      }
    },
    sumUp: () => {
      print(`${passed} passed, ${failed} failed`);
      return failed === 0 && passed > 0 ? 0 : 1;
    },
  };
}

/** Throws, with the first few offenders named, unless there are none. */
export function expectNone(offenders: Iterable<string>, complaint: string): void {
  const all = [...offenders];
  if (all.length === 0) return;
  const shown = all.slice(0, 10).join('\n');
  throw new Error(`${complaint}: ${all.length}\n${shown}${all.length > 10 ? '\n…' : ''}`);
}

/** The URLs of things that have one. */
export function urlsOf(things: readonly { readonly url: string }[]): readonly string[] {
  return things.map(({ url }) => url);
}

/** Those that the others lack. */
export function without(these: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return these.filter((one) => !known.has(one));
}

/** Each occurrence after the first. */
export function repeated(these: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return these.filter((one) => seen.has(one) || !seen.add(one));
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
