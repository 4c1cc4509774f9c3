import type { MediaRanges } from './media-type.ts';
import type { SeenTestKind } from './seen-test.ts';
import { DEFAULT_TRAP_LIMITS, type TrapLimits } from './traps.ts';
import type { UrlKeyRules } from './url-key.ts';

/** How far a crawl may follow links from its seeds (R23). */
export type ScopeKind = 'host' | 'domain' | 'prefix' | 'any';

/** `strict`: it fails. `lenient`: the certificate is taken all the same. */
export type TlsMode = 'strict' | 'lenient';

/**
 * The settings of one crawl, kept with it in Postgres, so that every process that serves the crawl sees the same.
 * Durations are milliseconds, sizes bytes; `null` means "no limit".
 */
export interface CrawlSettings extends UrlKeyRules, TrapLimits {
  readonly scope: ScopeKind;
  /** What `scope` is measured against: hosts, registrable domains or URL prefixes of the seeds, by `scope`. */
  readonly scopeRoots: readonly string[];
  /** Rules that name URLs which are none of the crawl's, such as `path:/print/*`. */
  readonly excludes: readonly string[];
  /** Rules one of which a URL must meet; empty: it need not. */
  readonly includes: readonly string[];
  /** Sent as `User-Agent`; its first word up to `/` is the product token of robots.txt (RFC 9309 §2.2.1). */
  readonly userAgent: string;
  readonly pageBudget: number | null;
  readonly depthLimit: number | null;
  readonly timeBudgetMs: number | null;
  /** The most URLs of one host that may be queued; further links to it are left out. */
  readonly hostQueue: number | null;
  readonly minGapMs: number;
  readonly gapFactor: number;
  readonly crawlDelayCapMs: number;
  /** The retry ladder: waits after the first, second … failure of a URL (R27). */
  readonly retryLadderMs: readonly number[];
  /** How long a URL is asked for again that is answered by nothing but 429 and 503. */
  readonly putOffWaitMs: number;
  /** How long a one-shot crawl waits for an unreachable robots.txt (R16). */
  readonly robotsWaitMs: number;
  /** After how long an unreachable robots.txt is left aside (RFC 9309 §2.3.1.4), in place of being given up; `null`: never. */
  readonly robotsOpenAfterMs: number | null;
  /** False: end the crawl when only retries and robots waits are left. */
  readonly waitForRetries: boolean;
  /** Pages of one visit; `null` lets the prioritizer choose. */
  readonly visitPages: number | null;
  /** Requests of any kind that a host gets in a day of UTC (R24), unless its policy says otherwise; `null`: no limit. */
  readonly hostPagesADay: number | null;
  readonly liveHostCap: number;
  /** Pages after which a live host gives way to hosts that wait; `null`: it goes on to its end. */
  readonly sessionPages: number | null;
  /** Slices of the crawl's hosts, each with a prioritizer of its own. */
  readonly shards: number;
  /** Own DNS servers, `host:port`; empty means the system's. */
  readonly dnsServers: readonly string[];
  readonly allowPrivate: boolean;
  /** Ranges of addresses that may be connected to beyond the public ones (R29), such as `10.0.0.0/8`. */
  readonly allowedRanges: readonly string[];
  readonly connectTimeoutMs: number;
  readonly pageTimeoutMs: number;
  readonly maxBodyBytes: number;
  /** What a certificate that can't be trusted does to a fetch. */
  readonly tls: TlsMode;
  /** Whether HTTP/2 is spoken with hosts that offer it. */
  readonly http2: boolean;
  /** Media types whose bodies are not read. */
  readonly skipTypes: MediaRanges;
  /** Whether cookies are sent back for as long as a visit lasts. */
  readonly cookies: boolean;
  /** Nothing is asked for while the disk of the pages has less free than this. */
  readonly minFreeBytes: number;
  readonly maxUrlLength: number;
  /** Leave links out that their page marks as `nofollow`, `ugc` or `sponsored` (R19). */
  readonly obeyNofollow: boolean;
  /** Count what a page shows as linked too: images, media, scripts, style sheets (R35). */
  readonly embeds: boolean;
  /** Fetch the sitemaps that a robots.txt names. */
  readonly sitemaps: boolean;
  /** By what the frontier knows a URL again (R22). */
  readonly seenTest: SeenTestKind;
  /** Number of bands, 1–8 (R1). */
  readonly bands: number;
  /** Which URLs go into which band, such as `path:/blog/*=1`; the first that fits wins, and R2 goes for the rest. */
  readonly priority: readonly string[];
  /** The absolute path of a module that is asked for a URL's band before these rules. */
  readonly prioritizer: string | null;
  /** How often its rules for bands were changed for what is queued, too: links that were judged before are judged anew. */
  readonly rebands: number;
  /** The lottery's weights, one a band; empty: each half of the one above (R3). */
  readonly weights: readonly number[];
  /** Assigned URLs of one host and crawl: the most, and the number at which it is refilled. */
  readonly room: number;
  readonly lowWater: number;
}

/** Our defaults, where the requirements name none; every one is a setting. */
export const DEFAULT_SETTINGS = {
  scope: 'host',
  scopeRoots: [],
  excludes: [],
  includes: [],
  pageBudget: null,
  depthLimit: null,
  timeBudgetMs: null,
  hostQueue: null,
  minGapMs: 1_000,
  gapFactor: 10,
  crawlDelayCapMs: 60_000,
  retryLadderMs: [3_600_000, 21_600_000, 86_400_000],
  putOffWaitMs: 86_400_000,
  robotsWaitMs: 86_400_000,
  robotsOpenAfterMs: null,
  waitForRetries: true,
  visitPages: null,
  hostPagesADay: null,
  liveHostCap: 500,
  sessionPages: 100,
  shards: 1,
  dnsServers: [],
  allowPrivate: false,
  allowedRanges: [],
  connectTimeoutMs: 5_000,
  pageTimeoutMs: 20_000,
  maxBodyBytes: 5_000_000,
  tls: 'strict',
  http2: true,
  cookies: false,
  skipTypes: ['audio/*', 'font/*', 'video/*'],
  minFreeBytes: 256_000_000,
  maxUrlLength: 2_000,
  obeyNofollow: false,
  embeds: false,
  sitemaps: true,
  seenTest: 'exact',
  sortQuery: true,
  dropTracking: true,
  dropSessionIds: true,
  dropParameters: [],
  keepParameters: [],
  ...DEFAULT_TRAP_LIMITS,
  bands: 3,
  priority: [],
  prioritizer: null,
  rebands: 0,
  weights: [],
  room: 20,
  lowWater: 10,
} as const satisfies Omit<CrawlSettings, 'userAgent'>;

/**
 * What is fixed when a crawl is made: under other values its frontier would not know its own URLs again, or the seeds
 * that its scope was measured by.
 */
export const FIXED_SETTINGS = [
  'scope',
  'bands',
  'rebands',
  'shards',
  'sortQuery',
  'dropTracking',
  'dropSessionIds',
  'dropParameters',
  'keepParameters',
] as const satisfies readonly (keyof CrawlSettings)[];

/** Settings as they lie in the database: those of an older crawl lack what was no setting in its time. */
export type StoredSettings = Partial<CrawlSettings> & Pick<CrawlSettings, 'userAgent'>;

/** What held before it was a setting, where that is not the default of today. */
const FORMER_SETTINGS = {
  http2: false,
  dropSessionIds: false,
  maxSegments: null,
  maxSegmentRepeats: null,
  maxParameters: null,
  maxParameterRepeats: null,
  calendarYears: null,
} as const satisfies Partial<CrawlSettings>;

/** The settings of a crawl that was made by this version or an older one: each goes on by the rules of its own time. */
export function crawlSettingsOf(stored: StoredSettings): CrawlSettings {
  return { ...DEFAULT_SETTINGS, ...FORMER_SETTINGS, ...stored };
}

/** Other settings for a crawl that exists; what is fixed stays as it was. */
export function changedWithin(before: CrawlSettings, wished: CrawlSettings): CrawlSettings {
  const fixed = Object.fromEntries(FIXED_SETTINGS.map((key) => [key, before[key]]));
  return { ...wished, ...fixed };
}
