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

/**
 * One loop over the text, by way of a buffer: a call for each match of a pattern, or a string for each escape, makes
 * hostile paths ten times as dear.
 */
function respelled(text: string, kept: Kept): string {
  let at = 0;
  while (at < text.length && kept[text.charCodeAt(at)] === true) at += 1;
  if (at === text.length) return text;

  let spelt = text.slice(0, at);
  let used = 0;
  for (; at < text.length; at += 1) {
    if (used > ROOM - MOST_LETTERS) {
      spelt += lettersOf(used);
      used = 0;
    }
    const code = text.charCodeAt(at);
    if (kept[code] === true) letters[used++] = code;
    else if (code === PERCENT) {
      const octet = octetAt(text, at + 1);
      used = octet === undefined ? putEscape(PERCENT, used) : putOctet(octet, used);
      if (octet !== undefined) at += 2;
    } else {
      const point = text.codePointAt(at) ?? code;
      used = putPoint(point, used);
      if (point > 0xffff) at += 1;
    }
  }
  return spelt + lettersOf(used);
}

/** What is spelt next, as codes of letters; of one text at a time, since nothing waits in between. */
const ROOM = 8_192;
const letters = Buffer.alloc(ROOM);
/** Of one character: four octets, each an escape. */
const MOST_LETTERS = 12;

function lettersOf(used: number): string {
  return letters.toString('latin1', 0, used);
}

/** An octet that was escaped, in its one spelling. */
function putOctet(octet: number, used: number): number {
  if (UNRESERVED[octet] !== true) return putEscape(octet, used);
  letters[used] = octet;
  return used + 1;
}

function putEscape(octet: number, used: number): number {
  letters[used] = PERCENT;
  letters[used + 1] = HEX[octet >> 4] ?? 0;
  letters[used + 2] = HEX[octet & 15] ?? 0;
  return used + 3;
}

/** A character's octets of UTF-8; half a pair of surrogates is U+FFFD, as for `TextEncoder`. */
function putPoint(point: number, used: number): number {
  if (point < 0x80) return putEscape(point, used);
  if (point < 0x800) return putRest(point, 1, putEscape(0xc0 | (point >> 6), used));
  if (point >= 0xd800 && point <= 0xdfff) return putPoint(0xfffd, used);
  if (point <= 0xffff) return putRest(point, 2, putEscape(0xe0 | (point >> 12), used));
  return putRest(point, 3, putEscape(0xf0 | (point >> 18), used));
}

/** The last so many octets of a character, six bits each. */
function putRest(point: number, octets: number, used: number): number {
  let next = used;
  for (let shift = 6 * (octets - 1); shift >= 0; shift -= 6) {
    next = putEscape(0x80 | ((point >> shift) & 0x3f), next);
  }
  return next;
}

const PERCENT = 37;

const HEX: readonly number[] = Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

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
