/** At least this much of a robots.txt is read, and no more: 500 KiB (RFC 9309 §2.5). */
export const MAX_ROBOTS_BYTES = 512_000;

/** One line of a robots.txt that says something; `line` counts from 1. */
export interface RobotsLine {
  readonly line: number;
  readonly kind: 'agent' | 'allow' | 'disallow' | 'crawlDelay' | 'sitemap';
  readonly value: string;
}

/**
 * The text of a robots.txt. UTF-8 by the standard (RFC 9309 §2.3); a byte order mark of UTF-16 is believed. Bytes that
 * are no UTF-8, and NULs, which Postgres can't keep, become U+FFFD and spoil their own line only. A file over the limit
 * loses the line that the limit cuts: half a rule is another rule.
 */
export function decodeRobots(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, MAX_ROBOTS_BYTES));
  const whole = bytes.length > MAX_ROBOTS_BYTES ? upToLastLineEnd(text) : text;
  return whole.replaceAll('\0', '\uFFFD');
}

/**
 * The lines that mean something to us, read as google/robotstxt reads them: comments and blanks dropped, common typing
 * errors forgiven, a missing colon where exactly two words are left. Tags of a file that was saved as HTML are dropped
 * too. Any other line is as good as not there.
 */
export function* robotsLines(body: string): Generator<RobotsLine> {
  for (const { line, text } of writtenLines(body)) {
    const bare = text.includes('<') ? text.replaceAll(HTML_TAG, ' ') : text;
    const pair = keyAndValue(withoutComment(bare));
    const kind = pair === undefined ? undefined : kindOf(pair.key);
    if (pair !== undefined && kind !== undefined) yield { line, kind, value: pair.value };
  }
}

/** Every line of the file as it is written, but for empty ones; `line` counts those, too. */
export function* writtenLines(
  body: string,
): Generator<{ readonly line: number; readonly text: string }> {
  const whole =
    body.length > MAX_ROBOTS_BYTES ? upToLastLineEnd(body.slice(0, MAX_ROBOTS_BYTES)) : body;
  let start = whole.startsWith('\uFEFF') ? 1 : 0;
  for (let at = start, line = 1; at <= whole.length; at += 1) {
    const code = at < whole.length ? whole.charCodeAt(at) : LINE_FEED;
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    if (at > start) yield { line, text: whole.slice(start, at) };
    if (code === CARRIAGE_RETURN && whole.charCodeAt(at + 1) === LINE_FEED) at += 1;
    start = at + 1;
    line += 1;
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Tags that editors put around lines; `<` can't be part of a path, so no rule is lost. */
const HTML_TAG = /<\/?(?:br|p|pre|div|span|body|html)\b[^<>]*>/giu;

/** Prefixes of keys, right and wrong, as google/robotstxt accepts them. */
export const ROBOTS_KEYS: readonly (readonly [prefix: string, kind: RobotsLine['kind']])[] = [
  ['disallow', 'disallow'],
  ['allow', 'allow'],
  ['user-agent', 'agent'],
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawlDelay'],
  ['crawldelay', 'crawlDelay'],
  ['crawl delay', 'crawlDelay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
];
const LONGEST_KEY = 16;
const KIND_BY_KEY: ReadonlyMap<string, RobotsLine['kind']> = new Map(ROBOTS_KEYS);

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

function upToLastLineEnd(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

function withoutComment(text: string): string {
  const hash = text.indexOf('#');
  return trimBlanks(hash < 0 ? text : text.slice(0, hash));
}

function keyAndValue(text: string): { key: string; value: string } | undefined {
  const colon = text.indexOf(':');
  if (colon >= 0) {
    return { key: trimBlanks(text.slice(0, colon)), value: trimBlanks(text.slice(colon + 1)) };
  }
  const [key, value, more] = text.split(/[ \t]+/u, 3);
  return key !== undefined && value !== undefined && more === undefined
    ? { key, value }
    : undefined;
}

function kindOf(key: string): RobotsLine['kind'] | undefined {
  const lowerCase = key.slice(0, LONGEST_KEY).toLowerCase();
  // Nearly always it is one of them to the letter.
  return (
    KIND_BY_KEY.get(lowerCase) ?? ROBOTS_KEYS.find(([prefix]) => lowerCase.startsWith(prefix))?.[1]
  );
}

/** `String.trim` takes a byte order mark for a blank, and a pattern for trailing blanks takes quadratic time. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Space, tab, vertical tab and form feed. */
function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 11 || code === 12;
}
