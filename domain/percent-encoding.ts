/**
 * Brings a path or query to one spelling (RFC 3986 §6.2.2.1, §6.2.2.2): escapes of unreserved characters decoded,
 * other escapes in upper case, and characters that may not stand there escaped. A lone `%` becomes `%25`, without
 * which doing it twice could change more than doing it once. Reserved characters stay as they are.
 */
export function withOneSpelling(text: string): string {
  return respelled(text, IN_A_PATH);
}

/** As `withOneSpelling`, and everything but unreserved characters and `/` is escaped: for comparing only. */
export function withEverythingEscaped(text: string): string {
  return respelled(text, UNRESERVED_OR_SLASH);
}

/** Which characters of ASCII stay as they are. */
type Kept = readonly boolean[];

const UNRESERVED = keptBy(/[A-Za-z0-9._~-]/u);
const UNRESERVED_OR_SLASH = keptBy(/[\w.~/-]/u);
/** Brackets only belong round an IPv6 address, never in a path or query (RFC 3986 §3.2.2). */
const IN_A_PATH = keptBy(/[\w.~:/?@!$&'()*+,;=-]/u);

/** One loop over the text: a call for each match of a pattern makes hostile paths ten times as dear. */
function respelled(text: string, kept: Kept): string {
  let spelt = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (kept[code] === true) continue;
    if (at > from) spelt += text.slice(from, at);
    if (code === PERCENT) {
      const octet = octetAt(text, at + 1);
      spelt += octet === undefined ? '%25' : (SPELLINGS[octet] ?? '');
      if (octet !== undefined) at += 2;
    } else if (code < 128) {
      spelt += ESCAPES[code] ?? '';
    } else {
      const start = at;
      while (text.charCodeAt(at + 1) >= 128) at += 1;
      for (const octet of encoder.encode(text.slice(start, at + 1))) spelt += ESCAPES[octet] ?? '';
    }
    from = at + 1;
  }
  return from === 0 ? text : spelt + text.slice(from);
}

const PERCENT = 37;

/** The escape of each octet. */
const ESCAPES: readonly string[] = Array.from(
  { length: 256 },
  (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** The one spelling of each octet that was escaped. */
const SPELLINGS: readonly string[] = ESCAPES.map((escape, octet) =>
  UNRESERVED[octet] === true ? String.fromCharCode(octet) : escape,
);

function keptBy(characters: RegExp): Kept {
  return Array.from({ length: 128 }, (_, code) => characters.test(String.fromCharCode(code)));
}

/** What two hexadecimal digits say; `undefined` where there are no two. */
function octetAt(text: string, at: number): number | undefined {
  const [high, low] = [digitOf(text.charCodeAt(at)), digitOf(text.charCodeAt(at + 1))];
  return high === undefined || low === undefined ? undefined : 16 * high + low;
}

/** `undefined` for what is no hexadecimal digit, also past the end. */
function digitOf(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  const lowerCase = code | 32;
  return lowerCase >= 97 && lowerCase <= 102 ? lowerCase - 87 : undefined;
}

const encoder = new TextEncoder();
