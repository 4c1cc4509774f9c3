import { Option } from 'commander';
import type { ScopeKind } from '../domain/crawl-settings.ts';
import {
  parseBytes,
  parseContact,
  parseCount,
  parseDns,
  parseDuration,
  parseFactor,
  parseFolder,
  parseLadder,
  parseLimit,
  parseUserAgent,
  parseWhole,
} from './option-values.ts';

/** Where a crawl is kept, and what it is called, when nobody says. */
export const DEFAULT_DATA_FOLDER = '.decorum';
export const DEFAULT_CRAWL_NAME = 'default';

const SCOPES: readonly ScopeKind[] = ['host', 'domain', 'prefix', 'any'];

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
  readonly detach?: true;
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
  readonly minFree?: number;
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
    option(
      '--min-free <size>',
      'ask for nothing while the disk has less free, such as 1GB (default: 256MB)',
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
