import { DEFAULT_SETTINGS, FIXED_SETTINGS } from '../../domain/crawl-settings.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { KINDS, oneOf } from './setting-kinds.ts';
import type { SettingKind } from './setting-kinds.ts';

/** Where a crawl is kept, and what it is called, when nobody says. */
export const DEFAULT_DATA_FOLDER = '.decorum';
export const DEFAULT_CRAWL_NAME = 'default';

/** One thing that can be set, by a flag, a line of a configuration file or a variable of the environment. */
export interface Setting {
  /** Its name in a file; also commander's name for its flag. */
  readonly key: string;
  /** `crawl`: kept with a crawl; `command`: of one command; `server`: what commands run on. */
  readonly group: 'crawl' | 'command' | 'server';
  readonly kind: SettingKind;
  /** With the unit, without the default. */
  readonly description: string;
  /** As commander takes it. */
  readonly flag?: string;
  /** The flag for `false`, and what that means. */
  readonly opposite?: readonly [flag: string, description: string];
  readonly variable?: string;
  /** The default, as it is written; of settings that are kept with a crawl it comes from the domain. */
  readonly standard?: string;
  /** What holds where nothing is set. */
  readonly unset?: string;
  /** Where it is kept with a crawl. */
  readonly kept?: keyof CrawlSettings;
  /** Values that nobody should read over a shoulder. */
  readonly isSecret?: true;
}

/**
 * Every setting. From here come the flags, the check of a configuration file, its schema for editors, the page
 * `docs/configuration.md` (`npm run docs`) and what `decorum config` prints; the order is that of the help.
 */
export const SETTINGS: readonly Setting[] = [
  ...inGroup('crawl', [
    {
      key: 'scope',
      flag: '--scope <kind>',
      kind: oneOf(['host', 'domain', 'prefix', 'any']),
      kept: 'scope',
      description: 'follow links within: host, domain, prefix or any',
    },
    {
      key: 'exclude',
      flag: '--exclude <rule>',
      kind: KINDS.rules,
      kept: 'excludes',
      description: 'leave URLs out that the rule names, as path:/print/*; may be given again',
    },
    {
      key: 'include',
      flag: '--include <rule>',
      kind: KINDS.rules,
      kept: 'includes',
      description: 'leave URLs out that no such rule names, as path:/blog/*; may be given again',
    },
    {
      key: 'pages',
      flag: '--pages <n>',
      kind: KINDS.countLimit,
      kept: 'pageBudget',
      description: 'end after exactly this many pages; "none" lifts an earlier limit',
    },
    {
      key: 'depth',
      flag: '--depth <n>',
      kind: KINDS.wholeLimit,
      kept: 'depthLimit',
      description: 'follow at most this many links from a seed, 0 or more; or "none"',
    },
    {
      key: 'time',
      flag: '--time <duration>',
      kind: KINDS.timeLimit,
      kept: 'timeBudgetMs',
      description: 'end after this time, such as 90s, 15m or 2h; or "none"',
    },
    {
      key: 'hostQueue',
      flag: '--host-queue <n>',
      kind: KINDS.countLimit,
      kept: 'hostQueue',
      description: 'leave links out where so many URLs of their host are queued; or "none"',
    },
    {
      key: 'contact',
      flag: '--contact <url>',
      kind: KINDS.contact,
      description: 'a page or mailto: address where a site owner can complain',
    },
    {
      key: 'userAgent',
      flag: '--user-agent <text>',
      kind: KINDS.userAgent,
      kept: 'userAgent',
      description: 'the whole User-Agent, in place of ours',
    },
    {
      key: 'minGap',
      flag: '--min-gap <duration>',
      kind: KINDS.duration,
      kept: 'minGapMs',
      description: 'the shortest gap between two fetches of a host',
    },
    {
      key: 'gapFactor',
      flag: '--gap-factor <x>',
      kind: KINDS.factor,
      kept: 'gapFactor',
      description: 'the gap as a multiple of the last fetch',
    },
    {
      key: 'dns',
      flag: '--dns <host:port>',
      kind: KINDS.dnsServers,
      kept: 'dnsServers',
      description: "use this DNS server, not the system's; may be given again",
    },
    {
      key: 'allowPrivate',
      flag: '--allow-private',
      kind: KINDS.yesNo,
      kept: 'allowPrivate',
      description: 'fetch from loopback and private addresses too',
    },
    {
      key: 'allowRange',
      flag: '--allow-range <list>',
      kind: KINDS.addressRanges,
      kept: 'allowedRanges',
      description: 'fetch from these addresses too, such as 10.0.0.0/8,fd00::/8; or "none"',
    },
    {
      key: 'retries',
      flag: '--retries <list>',
      kind: KINDS.ladder,
      kept: 'retryLadderMs',
      description: 'wait so long after the 1st, 2nd … failure of a URL; or "none"',
    },
    {
      key: 'putOffWait',
      flag: '--put-off-wait <duration>',
      kind: KINDS.duration,
      kept: 'putOffWaitMs',
      description: 'give up a URL that is answered by nothing but 429 and 503 so long',
    },
    {
      key: 'robotsWait',
      flag: '--robots-wait <duration>',
      kind: KINDS.duration,
      kept: 'robotsWaitMs',
      description: 'give up a host whose robots.txt stays unreachable so long',
    },
    {
      key: 'robotsOpenAfter',
      flag: '--robots-open-after <duration>',
      kind: KINDS.timeLimit,
      kept: 'robotsOpenAfterMs',
      description: 'not given up, but fetched from, after so long (RFC 9309: 30d); or "none"',
    },
    {
      key: 'wait',
      flag: '--wait',
      kind: KINDS.yesNo,
      kept: 'waitForRetries',
      description: 'wait for retries and unreachable robots.txt (the default; undoes --no-wait)',
      opposite: ['--no-wait', 'end when only those are left'],
    },
    {
      key: 'visitPages',
      flag: '--visit-pages <n>',
      kind: KINDS.count,
      kept: 'visitPages',
      description: 'fetch this many pages a visit',
      unset: 'chosen by load',
    },
    {
      key: 'hostPagesADay',
      flag: '--host-pages-a-day <n>',
      kind: KINDS.pagesADay,
      kept: 'hostPagesADay',
      description: 'ask no host more often a day of UTC, robots.txt and all; or "none"',
    },
    {
      key: 'liveHosts',
      flag: '--live-hosts <n>',
      kind: KINDS.count,
      kept: 'liveHostCap',
      description: 'serve at most so many hosts at once',
    },
    {
      key: 'sessionPages',
      flag: '--session-pages <n>',
      kind: KINDS.countLimit,
      kept: 'sessionPages',
      description: 'then let another host that waits have its turn; or "none"',
    },
    {
      key: 'shards',
      flag: '--shards <n>',
      kind: KINDS.shards,
      kept: 'shards',
      description: "split the crawl's hosts among so many prioritizers, 1 to 64",
    },
    {
      key: 'bands',
      flag: '--bands <n>',
      kind: KINDS.bands,
      kept: 'bands',
      description: 'sort URLs into so many bands of priority, 1 to 8',
    },
    {
      key: 'priority',
      flag: '--priority <rule=band>',
      kind: KINDS.priority,
      kept: 'priority',
      description: 'put URLs into a band, as path:/blog/*=1; may be given again, the first wins',
    },
    {
      key: 'prioritizer',
      flag: '--prioritizer <file>',
      kind: KINDS.module,
      kept: 'prioritizer',
      description: 'ask this module of yours for a URL\'s band before the rules; or "none"',
    },
    {
      key: 'weights',
      flag: '--weights <list>',
      kind: KINDS.weights,
      kept: 'weights',
      description: 'the bands\' weights in the lottery, such as 4,2,1; or "none"',
      unset: 'each half of the one above',
    },
    {
      key: 'connectTimeout',
      flag: '--connect-timeout <duration>',
      kind: KINDS.timeout,
      kept: 'connectTimeoutMs',
      description: 'give up connecting after this time',
    },
    {
      key: 'pageTimeout',
      flag: '--page-timeout <duration>',
      kind: KINDS.timeout,
      kept: 'pageTimeoutMs',
      description: 'give up a page after this time',
    },
    {
      key: 'maxBytes',
      flag: '--max-bytes <size>',
      kind: KINDS.size,
      kept: 'maxBodyBytes',
      description: 'cut a page off here, such as 500kB or 5MB',
    },
    {
      key: 'skipTypes',
      flag: '--skip-types <list>',
      kind: KINDS.mediaTypes,
      kept: 'skipTypes',
      description: 'read no bodies of these media types, such as video/*; or "none"',
    },
    {
      key: 'tls',
      flag: '--tls <mode>',
      kind: oneOf(['strict', 'lenient']),
      kept: 'tls',
      description: 'strict: a bad certificate fails the fetch; lenient: it is taken',
    },
    {
      key: 'http2',
      flag: '--http2',
      kind: KINDS.yesNo,
      kept: 'http2',
      description: 'speak HTTP/2 with hosts that offer it (the default)',
      opposite: ['--no-http2', 'speak HTTP/1.1 only'],
    },
    {
      key: 'cookies',
      flag: '--cookies',
      kind: KINDS.yesNo,
      kept: 'cookies',
      description: 'send cookies back to their host for as long as a visit lasts',
    },
    {
      key: 'minFree',
      flag: '--min-free <size>',
      kind: KINDS.size,
      kept: 'minFreeBytes',
      description: 'ask for nothing while the disk has less free, such as 1GB',
    },
    {
      key: 'sortQuery',
      flag: '--sort-query',
      kind: KINDS.yesNo,
      kept: 'sortQuery',
      description: 'URLs whose queries differ by order only are one (the default)',
      opposite: ['--no-sort-query', 'URLs whose queries differ by order only are two'],
    },
    {
      key: 'dropTracking',
      flag: '--drop-tracking',
      kind: KINDS.yesNo,
      kept: 'dropTracking',
      description: 'URLs that differ by utm_*, gclid and their like only are one (the default)',
      opposite: ['--no-drop-tracking', 'URLs that differ by utm_*, gclid and their like are two'],
    },
    {
      key: 'dropSessionIds',
      flag: '--drop-session-ids',
      kind: KINDS.yesNo,
      kept: 'dropSessionIds',
      description: 'URLs that differ by a session id only are one (the default)',
      opposite: ['--no-drop-session-ids', 'URLs that differ by a session id only are two'],
    },
    {
      key: 'dropParameters',
      flag: '--drop-parameters <names>',
      kind: KINDS.parameters,
      kept: 'dropParameters',
      description: 'URLs that differ by these parameters only are one, such as ref,pk_*',
    },
    {
      key: 'keepParameters',
      flag: '--keep-parameters <names>',
      kind: KINDS.parameters,
      kept: 'keepParameters',
      description: 'parameters that tell URLs apart, though another rule drops them',
    },
    {
      key: 'maxSegments',
      flag: '--max-segments <n>',
      kind: KINDS.countLimit,
      kept: 'maxSegments',
      description: 'leave links out with more parts of the path; or "none"',
    },
    {
      key: 'maxSegmentRepeats',
      flag: '--max-segment-repeats <n>',
      kind: KINDS.countLimit,
      kept: 'maxSegmentRepeats',
      description: 'leave links out that say /a/b/ more often in a row; or "none"',
    },
    {
      key: 'maxParameters',
      flag: '--max-parameters <n>',
      kind: KINDS.countLimit,
      kept: 'maxParameters',
      description: 'leave links out with more parameters in the query; or "none"',
    },
    {
      key: 'maxParameterRepeats',
      flag: '--max-parameter-repeats <n>',
      kind: KINDS.countLimit,
      kept: 'maxParameterRepeats',
      description: 'leave links out that say a=1 more often; or "none"',
    },
    {
      key: 'calendarYears',
      flag: '--calendar-years <n>',
      kind: KINDS.wholeLimit,
      kept: 'calendarYears',
      description: 'leave pages of calendars out that are further from now; or "none"',
    },
    {
      key: 'obeyNofollow',
      flag: '--obey-nofollow',
      kind: KINDS.yesNo,
      kept: 'obeyNofollow',
      description: 'leave links out that are marked nofollow, ugc or sponsored',
    },
    {
      key: 'embeds',
      flag: '--embeds',
      kind: KINDS.yesNo,
      kept: 'embeds',
      description: 'fetch what pages show too: images, media, scripts, style sheets',
    },
    {
      key: 'sitemaps',
      flag: '--sitemaps',
      kind: KINDS.yesNo,
      kept: 'sitemaps',
      description: 'fetch the sitemaps that a robots.txt names (the default)',
      opposite: ['--no-sitemaps', 'fetch no sitemaps'],
    },
    {
      key: 'seenTest',
      flag: '--seen-test <kind>',
      kind: oneOf(['exact', 'filter']),
      kept: 'seenTest',
      description:
        'know URLs again: exact, or by filter only, which spares work in huge crawls and loses up to 1 of 120 new URLs',
    },
  ]),
  ...inGroup('command', [
    {
      key: 'name',
      flag: '--name <name>',
      kind: KINDS.name,
      description: 'the name of the crawl',
      standard: DEFAULT_CRAWL_NAME,
    },
    {
      key: 'seeds',
      flag: '--seeds <file>',
      kind: KINDS.file,
      description: 'a file of seeds, one a line; "-" is standard input',
    },
    {
      key: 'data',
      flag: '--data <dir>',
      kind: KINDS.folder,
      description: 'where the crawl is kept',
      standard: DEFAULT_DATA_FOLDER,
    },
    {
      key: 'workers',
      flag: '--workers <n>',
      kind: KINDS.count,
      description: 'worker processes',
      standard: '1',
    },
  ]),
  ...inGroup('server', [
    {
      key: 'databaseUrl',
      variable: 'DATABASE_URL',
      kind: KINDS.postgresUrl,
      description: 'the Postgres to use',
      unset: 'one is embedded',
      isSecret: true,
    },
    {
      key: 'temporalAddress',
      variable: 'TEMPORAL_ADDRESS',
      kind: KINDS.text,
      description: 'the Temporal service to use, as host:port',
      unset: 'one is embedded',
    },
    {
      key: 'temporalNamespace',
      variable: 'TEMPORAL_NAMESPACE',
      kind: KINDS.text,
      description: 'its namespace',
      unset: 'default',
    },
    {
      key: 'temporalApiKey',
      variable: 'TEMPORAL_API_KEY',
      kind: KINDS.text,
      description: 'its API key',
      isSecret: true,
    },
    {
      key: 'temporalProfile',
      variable: 'TEMPORAL_PROFILE',
      kind: KINDS.text,
      description: "a profile of Temporal's own configuration file",
    },
    {
      key: 'temporalCli',
      variable: 'TEMPORAL_CLI',
      kind: KINDS.file,
      description: 'the Temporal command line that runs the embedded one',
      unset: 'found, downloaded or built',
    },
    {
      key: 'postgresPort',
      variable: 'DECORUM_POSTGRES_PORT',
      kind: KINDS.port,
      description: 'where the embedded Postgres listens',
      unset: 'a free one',
    },
    {
      key: 'temporalPort',
      variable: 'DECORUM_TEMPORAL_PORT',
      kind: KINDS.port,
      description: 'where the embedded Temporal listens',
      unset: 'a free one',
    },
    {
      key: 'temporalUiPort',
      variable: 'DECORUM_TEMPORAL_UI_PORT',
      kind: KINDS.port,
      description: 'where its web UI listens',
      unset: 'a free one',
    },
    {
      key: 'logLevel',
      variable: 'DECORUM_LOG_LEVEL',
      kind: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      description: "how much goes to Decorum's logs",
      standard: 'info',
    },
    {
      key: 'visitsAtOnce',
      variable: 'DECORUM_VISITS_AT_ONCE',
      kind: KINDS.count,
      description: 'hosts that one worker process serves at the same time',
      standard: '1000',
    },
    {
      key: 'workflowStacks',
      variable: 'DECORUM_WORKFLOW_STACKS',
      kind: KINDS.yesNo,
      description: "keep stack traces of workflows, for Temporal's UI; costs the worker a third",
      standard: 'false',
    },
  ]),
];

/** The setting of this key. @throws Error where there is none. */
export function settingOf(key: string): Setting {
  const found = SETTINGS.find((setting) => setting.key === key);
  if (found === undefined) throw new Error(`There is no setting "${key}"`);
  return found;
}

/** What a setting is when nobody sets it, as it is written; `undefined` where it then has no value. */
export function standardOf({ kept, kind, standard, unset }: Setting): string | undefined {
  if (standard !== undefined || unset !== undefined || kept === undefined) return standard;
  return keptText({ kept, kind }, DEFAULT_SETTINGS);
}

/** A setting as a crawl keeps it, as it is written; `undefined` where the crawl doesn't say. */
export function keptText(
  { kept, kind }: Pick<Setting, 'kept' | 'kind'>,
  settings: Partial<CrawlSettings>,
): string | undefined {
  const value = kept === undefined ? undefined : settings[kept];
  if (value === undefined) return undefined;
  const text = kind.show(value);
  return text === '' || text === 'null' ? undefined : text;
}

/** Whether a crawl keeps the value that it was made with. */
export function isFixed({ kept }: Pick<Setting, 'kept'>): boolean {
  return FIXED_SETTINGS.some((key) => key === kept);
}

function inGroup(
  group: Setting['group'],
  settings: readonly Omit<Setting, 'group'>[],
): readonly Setting[] {
  return settings.map((setting) => ({ ...setting, group }));
}
