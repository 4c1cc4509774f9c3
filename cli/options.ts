import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { ScopeKind } from '../domain/crawl-settings.ts';
import { parseDurationMs } from '../domain/duration.ts';

export const DEFAULT_DATA_FOLDER = '.decorum';
export const DEFAULT_CRAWL_NAME = 'default';

const SCOPES: readonly ScopeKind[] = ['host', 'domain', 'prefix', 'any'];
const DNS_PORT = 53;
const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
};

/** A limit; `none` lifts the one that a crawl had. */
export type Limit = number | 'none';

/** What every command takes. */
export interface CommonFlags {
  readonly data: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** What the commands take that follow a crawl. */
export interface FollowFlags extends CommonFlags {
  readonly workers: number;
}

/** What `crawl` takes; what was not typed is absent, so that a crawl goes on with the settings it has. */
export interface CrawlFlags extends FollowFlags {
  readonly name: string;
  readonly seeds?: string;
  readonly scope?: ScopeKind;
  readonly pages?: Limit;
  readonly depth?: Limit;
  readonly time?: Limit;
  readonly contact?: string;
  readonly userAgent?: string;
  readonly minGap?: number;
  readonly gapFactor?: number;
  readonly dns?: readonly string[];
  readonly allowPrivate?: true;
  readonly retries?: readonly number[];
  readonly robotsWait?: number;
  readonly wait?: boolean;
  readonly visitPages?: number;
  readonly liveHosts?: number;
  readonly connectTimeout?: number;
  readonly pageTimeout?: number;
  readonly maxBytes?: number;
}

/** The options of `crawl` that are kept with the crawl, in the order of its help. */
export function crawlOptions(): readonly Option[] {
  return [
    option(
      '--scope <kind>',
      'follow links within: host, domain, prefix or any (default: host)',
    ).choices(SCOPES),
    option(
      '--pages <n>',
      'end after exactly this many pages; "none" lifts an earlier limit',
      orNone(parseCount),
    ),
    option(
      '--depth <n>',
      'follow at most this many links from a seed, 0 or more; or "none"',
      orNone(parseWhole),
    ),
    option(
      '--time <duration>',
      'end after this time, such as 90s, 15m or 2h; or "none"',
      orNone(parseDuration),
    ),
    option(
      '--contact <url>',
      'a page or mailto: address where a site owner can complain',
      parseContact,
    ),
    option('--user-agent <text>', 'the whole User-Agent, in place of ours', parseUserAgent),
    option(
      '--min-gap <duration>',
      'the shortest gap between two fetches of a host (default: 1s)',
      parseDuration,
    ),
    option(
      '--gap-factor <x>',
      'the gap as a multiple of the last fetch (default: 10)',
      parseFactor,
    ),
    option(
      '--dns <host:port>',
      "use this DNS server, not the system's; may be given again",
      parseDns,
    ),
    option('--allow-private', 'fetch from loopback and private addresses too'),
    option(
      '--retries <list>',
      'wait so long after the 1st, 2nd … failure of a URL (default: 1h,6h,24h)',
      parseLadder,
    ),
    option(
      '--robots-wait <duration>',
      'give up a host whose robots.txt stays unreachable so long (default: 24h)',
      parseDuration,
    ),
    // Before its opposite, so that neither typed means absent and not true.
    option('--wait', 'wait for retries and unreachable robots.txt (the default; undoes --no-wait)'),
    option('--no-wait', 'end when only those are left'),
    option(
      '--visit-pages <n>',
      'fetch this many pages a visit (default: chosen by load)',
      parseCount,
    ),
    option('--live-hosts <n>', 'serve at most so many hosts at once (default: 500)', parseCount),
    option(
      '--connect-timeout <duration>',
      'give up connecting after this time (default: 5s)',
      parseLimit,
    ),
    option(
      '--page-timeout <duration>',
      'give up a page after this time (default: 20s)',
      parseLimit,
    ),
    option(
      '--max-bytes <size>',
      'cut a page off here, such as 500kB or 5MB (default: 5MB)',
      parseBytes,
    ),
  ];
}

/** The options of every command. */
export function commonOptions(): readonly Option[] {
  return [
    option('--data <dir>', 'where the crawl is kept', parseFolder).default(DEFAULT_DATA_FOLDER),
    option('--json', 'print JSON, one object a line'),
    option('--quiet', 'print results and errors only'),
  ];
}

/** The number of worker processes, of the commands that follow a crawl. */
export function workersOption(): Option {
  return option('--workers <n>', 'worker processes', parseCount).default(1);
}

/** A whole number of 1 or more. */
export function parseCount(text: string): number {
  const n = parseWhole(text);
  return n >= 1 ? n : refuse('It must be a whole number of 1 or more.');
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

/** A duration longer than nothing, in milliseconds. */
export function parseLimit(text: string): number {
  const ms = parseDuration(text);
  return ms > 0 ? ms : refuse('It must be longer than 0.');
}

/** The retry ladder: durations between commas, in milliseconds; `none` means no retry. */
export function parseLadder(text: string): readonly number[] {
  if (text === 'none') return [];
  return text.split(',').map((step) => parseDuration(step.trim()));
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

function option<T>(
  flags: string,
  description: string,
  parse?: (text: string, before: T) => T,
): Option {
  const made = new Option(flags, description);
  return parse === undefined ? made : made.argParser(parse);
}

function orNone(parse: (text: string) => number): (text: string) => Limit {
  return (text) => (text === 'none' ? text : parse(text));
}

function parseFolder(text: string): string {
  return text === '' ? refuse('It must name a folder.') : text;
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

function refuse(remedy: string): never {
  throw new InvalidArgumentError(remedy);
}
