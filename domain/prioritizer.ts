/** What a module of one's own (`--prioritizer`) is told of one URL. What is not known is absent; more may be added. */
export interface PrioritizerFacts {
  readonly url: string;
  /** `http` or `https`. */
  readonly scheme: string;
  /** The host name in lower case, without a port. */
  readonly host: string;
  readonly path: string;
  /** With its `?`; empty where there is none. */
  readonly query: string;
  /** What stands behind the last dot of the path's last segment, in lower case; empty where there is none. */
  readonly extension: string;
  /** Links from the nearest seed, which is at 0. */
  readonly depth: number;
  /** The page, sitemap or robots.txt that named it first; absent for a seed. */
  readonly foundOn?: string | undefined;
  /** What a sitemap says of it, from 0 to 1. */
  readonly sitemapPriority?: number | undefined;
  /** How many bands the crawl has. */
  readonly bands: number;
}

/**
 * A prioritizer rule of one's own: the band of a URL, 1 (the most urgent) to `bands`, or `undefined` to leave it to the
 * crawl's other rules. The same facts must always give the same band; it is asked of every link, so it must be quick.
 */
export type Prioritizer = (facts: PrioritizerFacts) => number | undefined;

/** A module's rule, and the file that it was read from. */
export interface LoadedPrioritizer {
  readonly file: string;
  readonly rule: Prioritizer;
}

/** Reads a module; one that can't be loaded gives a rule that throws why. */
export type PrioritizerFor = (file: string) => Promise<LoadedPrioritizer>;

export type PrioritizerAnswer =
  | { readonly kind: 'band'; readonly band: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'fault'; readonly fault: string };

/** Asks a module's rule, of which nothing is certain: it may throw, and give anything. */
export function askPrioritizer(rule: Prioritizer, facts: PrioritizerFacts): PrioritizerAnswer {
  let given: unknown;
  try {
    given = rule(facts);
  } catch (error) {
    return { kind: 'fault', fault: `it threw ${shown(error)}` };
  }
  if (given === undefined) return { kind: 'none' };
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= facts.bands)
    return { kind: 'band', band: Number(given) };
  const wanted = `a whole number from 1 to ${facts.bands}, or undefined`;
  return given instanceof Promise
    ? { kind: 'fault', fault: `it gave a promise: it must answer at once, with ${wanted}` }
    : { kind: 'fault', fault: `it gave ${shown(given)}: it must give ${wanted}` };
}

/** Our choice: enough to know an error by. */
const MOST_SHOWN = 200;

/** What a module threw or gave, on one line. */
function shown(value: unknown): string {
  try {
    const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
    return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MOST_SHOWN);
  } catch {
    return 'something that cannot be shown';
  }
}
