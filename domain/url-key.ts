import type { RequestUrl } from './request-url.ts';
import { withOneSpelling } from './percent-encoding.ts';
import { TRACKING_PARAMETERS } from './tracking-parameters.ts';

export { TRACKING_PARAMETERS };

declare const urlKeyBrand: unique symbol;

/** The form under which URLs are compared by the seen test; never requested (R21). */
export type UrlKey = string & { readonly [urlKeyBrand]: true };

/** The rules by which a URL key merges more than RFC 3986 §6.2.2 does; each can be switched off. */
export interface UrlKeyRules {
  /** Sort the query by parameter name; parameters of one name keep their order. */
  readonly sortQuery: boolean;
  /** Leave out `utm_*` and the names in `TRACKING_PARAMETERS`. */
  readonly dropTracking: boolean;
}

/** Both merging rules on. */
export const DEFAULT_URL_KEY_RULES: UrlKeyRules = { sortQuery: true, dropTracking: true };

/**
 * The key of a request URL: the same for two spellings of one address (RFC 3986 §6.2.2), and for two addresses that
 * differ only by what `rules` declare meaningless. The key of a key is itself.
 */
export function urlKeyOf(url: RequestUrl, rules: UrlKeyRules = DEFAULT_URL_KEY_RULES): UrlKey {
  const { origin, path, query } = partsOf(url);
  const address = origin + withOneSpelling(path);
  if (query === undefined) return address as UrlKey;

  const kept = keptParameters(withOneSpelling(query), rules);
  // A query emptied by the rules goes with its question mark; one that was empty makes another address.
  return (kept.length === 0 ? address : `${address}?${kept.join('&')}`) as UrlKey;
}

function partsOf(url: string): { origin: string; path: string; query: string | undefined } {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const mark = url.indexOf('?', path);
  const end = mark < 0 ? url.length : mark;
  return {
    origin: url.slice(0, path),
    path: url.slice(path, end),
    query: mark < 0 ? undefined : url.slice(mark + 1),
  };
}

function keptParameters(query: string, rules: UrlKeyRules): string[] {
  const all = query.split('&');
  const kept = rules.dropTracking ? all.filter((pair) => !isTracking(nameOf(pair))) : all;
  return rules.sortQuery ? kept.sort(byName) : kept;
}

function isTracking(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return lowerCase.startsWith('utm_') || TRACKING_PARAMETERS.has(lowerCase);
}

/** Compares code units, not by locale: every process must come to the same key. */
function byName(one: string, other: string): number {
  const [a, b] = [nameOf(one), nameOf(other)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair : pair.slice(0, equals);
}
