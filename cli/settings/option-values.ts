import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { parseDurationMs } from '../../domain/duration.ts';
import { MOST_BANDS } from '../../domain/band.ts';
import { parseBandRule } from '../../domain/band-rules.ts';
import { parseUrlRule, URL_RULE_FORMS } from '../../domain/url-rule.ts';
import { MOST_RULE_CHARACTERS } from '../../domain/url-selection.ts';
import { parseAddressRange } from '../../domain/address-rules.ts';
import { parseMediaRange, type MediaRanges } from '../../domain/media-type.ts';

// Each reads one value as typed, or refuses it with the remedy; commander puts the option and the value before that.

const DNS_PORT = 53;
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;
const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
};

/** A whole number of 1 or more. */
export function parseCount(text: string): number {
  const n = parseWhole(text);
  return n >= 1 ? n : refuse('It must be a whole number of 1 or more.');
}

/** Requests of a day: of one alone nothing would be left after robots.txt. */
export function parsePagesADay(text: string): number {
  const n = parseWhole(text);
  return n >= 2 && n < 2 ** 31
    ? n
    : refuse('It must be a whole number of 2 or more, since robots.txt counts too.');
}

/** Our choice: more prioritizers than this wait for one database. */
const MOST_SHARDS = 64;

/** A number of shards. */
export function parseShards(text: string): number {
  const n = parseCount(text);
  return n <= MOST_SHARDS
    ? n
    : refuse(`It must be a whole number from 1 to ${String(MOST_SHARDS)}.`);
}

/** A number of bands. */
export function parseBands(text: string): number {
  const n = parseCount(text);
  return n <= MOST_BANDS ? n : refuse(`It must be a whole number from 1 to ${String(MOST_BANDS)}.`);
}

/** Weights of the band lottery, one a band; `none` means those of the default. */
export function parseWeights(text: string): readonly number[] {
  if (text === 'none') return [];
  const weights = text
    .split(',')
    .map((one) => (/^\s*\d{1,9}(\.\d{1,9})?\s*$/u.test(one) ? Number(one) : NaN));
  return weights.length <= MOST_BANDS &&
    weights.every(Number.isFinite) &&
    weights.some((one) => one > 0)
    ? weights
    : refuse(
        'Write one number a band between commas, such as 4,2,1, not all of them 0; or "none".',
      );
}

/** Adds the rules of one `--priority`, between blanks, to those before it; `none` means none of them. */
export function parsePriority(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === 'none') return [];
  const written = text.trim().split(/\s+/u);
  const rules = written.flatMap((rule) => parseBandRule(rule)?.text ?? []);
  return rules.length === written.length
    ? [...before, ...rules]
    : refuse(
        `Write RULE=BAND with a band from 1 to ${String(MOST_BANDS)}; a rule is ${URL_RULE_FORMS}, depth:>3 or sitemap:0.8. Or "none".`,
      );
}

/** Adds the URL rules of one `--exclude` or `--include`, between blanks, to those before it; `none` means none of them. */
export function parseRules(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === 'none') return [];
  const written = text.trim().split(/\s+/u);
  const rules = written.flatMap((rule) => parseUrlRule(rule)?.text ?? []);
  if (rules.length !== written.length) {
    return refuse(`A rule is ${URL_RULE_FORMS}, or depth:>3. Or "none".`);
  }
  const all = [...new Set([...before, ...rules])];
  return all.join(' ').length <= MOST_RULE_CHARACTERS
    ? all
    : refuse(`All rules together may have ${String(MOST_RULE_CHARACTERS)} characters.`);
}

/** A whole number of 0 or more. */
export function parseWhole(text: string): number {
  const n = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(n) ? n : refuse('It must be a whole number, such as 50.');
}

/** A number of 0 or more. */
export function parseFactor(text: string): number {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(factor)
    ? factor
    : refuse('It must be a number of 0 or more, such as 10 or 2.5.');
}

/** A duration with its unit, in milliseconds. */
export function parseDuration(text: string): number {
  const ms = parseDurationMs(text);
  return ms ?? refuse('Write it as 500ms, 90s, 15m, 2h or 1d; a plain number means seconds.');
}

/** A timer can't be longer: beyond, it ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A duration that a timer can measure, in milliseconds: longer than nothing, and not over 24 days. */
export function parseLimit(text: string): number {
  const ms = parseDuration(text);
  if (ms > LONGEST_TIMER_MS) return refuse('It must be at most 24d.');
  return ms > 0 ? ms : refuse('It must be longer than 0.');
}

/** An instant: a duration back from now, or a date with or without a time, in UTC unless it says otherwise. */
export function parseInstant(text: string): Date {
  const agoMs = parseDurationMs(text);
  if (agoMs !== undefined) return new Date(Date.now() - agoMs);
  const [, day, time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  const at = new Date(`${day ?? ''}T${time}${zone}`);
  return Number.isNaN(at.getTime())
    ? refuse('Write a time back from now, such as 24h, or an instant such as 2026-08-01T12:00Z.')
    : at;
}

/** The retry ladder: durations between commas, in milliseconds; `none` means no retry. */
export function parseLadder(text: string): readonly number[] {
  if (text === 'none') return [];
  return text.split(',').map((step) => parseDuration(step.trim()));
}

/** Media types or families of them, in one order, so that two spellings of a list are equal. */
export function parseMediaTypes(text: string): MediaRanges {
  if (text === 'none') return [];
  const ranges = text.split(',').flatMap((range) => parseMediaRange(range) ?? []);
  return ranges.length === text.split(',').length
    ? [...new Set(ranges)].sort()
    : refuse('Write media types between commas, such as "video/*,application/zip"; or "none".');
}

/** Bytes, with `kB` and `MB` as decimal units. */
export function parseBytes(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = BYTE_UNITS[unit.toLowerCase()];
  const bytes = factor === undefined ? NaN : Math.round(Number(digits) * factor);
  return digits !== '' && bytes >= 1 && Number.isSafeInteger(bytes)
    ? bytes
    : refuse('Write a size such as 500kB or 5MB.');
}

/** A web page or mail address for complaints (R14), as typed. */
export function parseContact(text: string): string {
  const { protocol, hostname, pathname } = asUrl(text) ?? {
    protocol: '',
    hostname: '',
    pathname: '',
  };
  const isPage = (protocol === 'http:' || protocol === 'https:') && hostname !== '';
  const isMail = protocol === 'mailto:' && pathname.includes('@');
  return (isPage || isMail) && !/[\s()]/.test(text)
    ? text
    : refuse(
        'Give a web page or a mail address, such as https://you.example/bot or mailto:you@you.example.',
      );
}

/** A User-Agent whose first word can be found in a robots.txt (RFC 9309 §2.2.1). */
export function parseUserAgent(text: string): string {
  return /^[A-Za-z_-]+(\/\S*)?( [\x20-\x7e]*)?$/.test(text)
    ? text
    : refuse(
        'It must begin with the name that a robots.txt calls it by, of letters, "_" and "-": "MyBot/1.0 (+https://you.example/bot)".',
      );
}

/** Adds the DNS servers of one `--dns` to those before it; each an IP address with or without a port. */
export function parseDns(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((one) => dnsServer(one.trim()))];
}

/** Names of a query's parameters, in one order and in lower case, so that two spellings of a list are equal. */
export function parseParameters(text: string): readonly string[] {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names.every((name) => /^[^\s&=;?#*]+\*?$/u.test(name))
    ? [...new Set(names)].sort()
    : refuse('Write names of parameters between commas, such as "ref,pk_*"; or "none".');
}

/** Ranges of addresses, written without the bits that count for nothing; `none` is an empty list. */
export function parseAddressRanges(text: string): readonly string[] {
  if (text === 'none') return [];
  const written = text.split(',');
  const ranges = written.flatMap((range) => parseAddressRange(range) ?? []);
  return ranges.length === written.length
    ? [...new Set(ranges)]
    : refuse('Write addresses or ranges between commas, such as "10.0.0.0/8,fd00::/8"; or "none".');
}

/** A name that can be part of a workflow id and is easy to type. */
export function parseName(text: string): string {
  return /^[A-Za-z0-9][\w.-]{0,62}$/.test(text)
    ? text
    : refuse(
        'A name has 1 to 63 letters, digits, ".", "_" and "-", and begins with a letter or digit.',
      );
}

/** A text that says something. */
export function parseText(text: string): string {
  const said = text.trim();
  return said === '' ? refuse('It must not be empty.') : said;
}

/** The path of a folder. */
export function parseFolder(text: string): string {
  return text === '' ? refuse('It must name a folder.') : text;
}

/** The path of a file; `-` is standard input. */
export function parseFile(text: string): string {
  return text === '' ? refuse('It must name a file.') : text;
}

/** The number of a TCP port. */
export function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  return port >= 1 && port <= 65_535 ? port : refuse('A port is a number from 1 to 65535.');
}

/** Where a Postgres is, as `DATABASE_URL` says it. */
export function parsePostgresUrl(text: string): string {
  return /^postgres(ql)?:$/.test(asUrl(text)?.protocol ?? '')
    ? text
    : refuse('Write it as postgres://user:password@host:5432/database.');
}

/** Refuses a value, with the remedy. */
export function refuse(remedy: string): never {
  throw new InvalidArgumentError(remedy);
}

function dnsServer(text: string): string {
  const [, bracketed, address = bracketed ?? text, port = String(DNS_PORT)] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(port) < 1 || Number(port) > 65_535) {
    return refuse('A DNS server is an IP address and a port, such as 127.0.0.1:5353 or [::1]:53.');
  }
  return family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}

function asUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
