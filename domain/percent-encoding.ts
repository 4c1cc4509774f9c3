/**
 * Brings a path or query to one spelling (RFC 3986 §6.2.2.1, §6.2.2.2): escapes of unreserved characters decoded,
 * other escapes in upper case, and characters that may not stand there escaped. A lone `%` becomes `%25`, without
 * which doing it twice could change more than doing it once. Reserved characters stay as they are.
 */
export function withOneSpelling(text: string): string {
  return text.replaceAll(ESCAPE, spellEscape).replaceAll(NOT_IN_A_PATH, escapeCharacters);
}

/** As `withOneSpelling`, and everything but unreserved characters and `/` is escaped: for comparing only. */
export function withEverythingEscaped(text: string): string {
  return text
    .replaceAll(ESCAPE, spellEscape)
    .replaceAll(NEITHER_UNRESERVED_NOR_SLASH, escapeCharacters);
}

const ESCAPE = /%([0-9A-Fa-f]{2})?/gu;
const UNRESERVED = /^[A-Za-z0-9._~-]$/u;
/** Brackets only belong round an IPv6 address, never in a path or query (RFC 3986 §3.2.2). */
const NOT_IN_A_PATH = /[^\w.~%:/?@!$&'()*+,;=-]+/gu;
const NEITHER_UNRESERVED_NOR_SLASH = /[^\w.~%/-]+/gu;

function spellEscape(escape: string, hex: string | undefined): string {
  if (hex === undefined) return '%25';

  const character = String.fromCharCode(Number.parseInt(hex, 16));
  return UNRESERVED.test(character) ? character : escape.toUpperCase();
}

function escapeCharacters(text: string): string {
  return Array.from(encoder.encode(text), escapeByte).join('');
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

const encoder = new TextEncoder();
