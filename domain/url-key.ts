import type { RequestUrl } from './request-url.ts';
import { withOneSpelling } from './percent-encoding.ts';
import {
  isColdFusionPair,
  isOfColdFusion,
  isSessionId,
  isSessionSegment,
  type Parameter,
} from './session-ids.ts';
import { TRACKING_PARAMETERS } from './tracking-parameters.ts';

export { TRACKING_PARAMETERS };

declare const urlKeyBrand: unique symbol;

/** The form under which URLs are compared by the seen test; never requested (R21). */
export type UrlKey = string & { readonly [urlKeyBrand]: true };

/**
 * The rules by which a URL key merges more than RFC 3986 §6.2.2 does. A crawl keeps those that it was made with: under
 * others it would not know its own URLs again.
 */
export interface UrlKeyRules {
  /** Sort the query by parameter name; parameters of one name keep their order. */
  readonly sortQuery: boolean;
  /** Leave out `utm_*` and the names in `TRACKING_PARAMETERS`. */
  readonly dropTracking: boolean;
  /** Leave out what carries a visitor's session, in paths and queries (`session-ids.ts`). */
  readonly dropSessionIds: boolean;
  /** More parameters to leave out, in lower case; a `*` at the end stands for anything. */
  readonly dropParameters: readonly string[];
  /** Parameters that stay, whatever the other rules say; written in the same way. */
  readonly keepParameters: readonly string[];
}

/**
 * The key of a request URL: the same for two spellings of one address (RFC 3986 §6.2.2), and for two addresses that
 * differ only by what `rules` declare meaningless. The key of a key is itself. Never throws.
 */
export function urlKeyOf(url: RequestUrl, rules: UrlKeyRules): UrlKey {
  const { origin, path, query } = partsOf(url);
  const spelled = withOneSpelling(path);
  const address = origin + (rules.dropSessionIds ? withoutSession(spelled, rules) : spelled);
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

function withoutSession(path: string, rules: UrlKeyRules): string {
  const segments = path.split('/').map((segment) => segmentWithoutSession(segment, rules));
  const last = segments.length - 1;
  return segments
    .flatMap((segment, index) => {
      if (!isSessionSegment(segment)) return [segment];
      // The slash before it stays.
      return index === last ? [''] : [];
    })
    .join('/');
}

/** `/cart;jsessionid=1` is `/cart`; but `/.;jsessionid=1` stays, since `/.` would be another address. */
function segmentWithoutSession(segment: string, rules: UrlKeyRules): string {
  const [name = '', ...parameters] = segment.split(';');
  const kept = parameters.filter((parameter) => {
    const read = parameterOf(parameter);
    return !isSessionId(read) || isKept(read, rules);
  });
  const isDots = kept.length === 0 && /^\.{1,2}$/u.test(name);
  return isDots ? segment : [name, ...kept].join(';');
}

function keptParameters(query: string, rules: UrlKeyRules): string[] {
  const all = query.split('&');
  const named = rules.dropSessionIds ? withoutSessions(all, rules) : all;
  const kept = named.filter((pair) => !isDropped(parameterOf(pair), rules));
  return rules.sortQuery ? kept.sort(byName) : kept;
}

/** Some programs part their parameters by semicolons. */
function withoutSessions(pairs: readonly string[], rules: UrlKeyRules): readonly string[] {
  const names = new Set(pairs.flatMap((pair) => pair.split(';').map(nameOf)).map(lowerCase));
  const isPair = isColdFusionPair(names);
  const isSession = (part: string): boolean => {
    const read = parameterOf(part);
    return (isSessionId(read) || (isPair && isOfColdFusion(read.name))) && !isKept(read, rules);
  };
  return pairs.flatMap((pair) => {
    const parts = pair.split(';');
    const kept = parts.filter((part) => !isSession(part));
    return kept.length === 0 ? [] : [kept.join(';')];
  });
}

function isDropped(parameter: Parameter, rules: UrlKeyRules): boolean {
  const { name } = parameter;
  const isTracking =
    rules.dropTracking && (name.startsWith('utm_') || TRACKING_PARAMETERS.has(name));
  return (isTracking || matches(name, rules.dropParameters)) && !isKept(parameter, rules);
}

function isKept({ name }: Parameter, { keepParameters }: UrlKeyRules): boolean {
  return matches(name, keepParameters);
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

function parameterOf(pair: string): Parameter {
  const name = nameOf(pair);
  return { name: lowerCase(name), value: pair.slice(name.length + 1) };
}

function lowerCase(text: string): string {
  return text.toLowerCase();
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
