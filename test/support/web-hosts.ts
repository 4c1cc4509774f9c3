/**
 * How a virtual host of the test web behaves. Its pages `/`, `/p/1` … are always good ones; what it does wrong lies on
 * further paths (see `web-extras.ts`) or in its robots.txt.
 *
 * - `good`: nothing is wrong.
 * - `robots`: robots.txt disallows `/private/` (but allows `/private/open`), asks for `crawlDelaySeconds` if given.
 * - `robots404`, `robots503`: robots.txt always has this status.
 * - `robotsRecovers`: robots.txt is 503 for the first `robotsFailures` requests, then like `robots`.
 * - `robotsRedirect`: robots.txt redirects to a file of the host `robotsFrom`, which disallows `/private/`.
 * - `busy`: every `everyNth` page request gets a 429 with `Retry-After`.
 * - `unavailable`: every `everyNth` page request gets a 503 without `Retry-After`.
 * - `redirects`: chains of five and of six hops, loops, hops that change only a tracking parameter, and one to each of
 *   `redirectsTo`.
 * - `slow`: every answer takes 300 ms, or `latencyMs`.
 * - `hanging`: `/hang` never answers.
 * - `refused`: its address refuses connections.
 * - `broken`: broken HTML, wrong lengths, early closes, answers that aren't HTTP.
 * - `serverError`: `/error/…` is always 500.
 * - `missing`: `/missing/…` is 404 or 410.
 * - `sitemaps`: robots.txt, which disallows `/private/`, names a sitemap that leads to pages without any link.
 * - `nxdomain`: the DNS server doesn't know its name.
 */
export type HostKind =
  | 'good'
  | 'robots'
  | 'robots404'
  | 'robots503'
  | 'robotsRecovers'
  | 'robotsRedirect'
  | 'busy'
  | 'unavailable'
  | 'redirects'
  | 'slow'
  | 'hanging'
  | 'refused'
  | 'broken'
  | 'serverError'
  | 'missing'
  | 'sitemaps'
  | 'nxdomain';

/** One virtual host of the test web. */
export interface HostSpec {
  /** Host name, lower case, without a port. */
  readonly name: string;
  /** Number of good pages, at least 1: `/`, `/p/1` … */
  readonly pages: number;
  readonly kind: HostKind;
  /** How the DNS server fails on this name; it answers by default. The web's `dns` can change it later. */
  readonly dnsFault?: 'serverFailed' | 'silent';
  /** How long each answer is kept back; 0 by default, 300 for a `slow` host. */
  readonly latencyMs?: number;
  /** Hosts that this one's pages link to; its home page links to all their home pages. */
  readonly linksTo?: readonly string[];
  /** Size that a page is filled up to; 3,000 by default. */
  readonly pageBytes?: number;
  /** What robots.txt of a `robots` host asks for; none by default. */
  readonly crawlDelaySeconds?: number;
  /** How many requests for robots.txt fail on a `robotsRecovers` host; 2 by default. */
  readonly robotsFailures?: number;
  /** Whose file a `robotsRedirect` host points to; the first of `linksTo` by default. */
  readonly robotsFrom?: string;
  /** Which page requests a `busy` or `unavailable` host puts off; every 4th by default. */
  readonly everyNth?: number;
  /** What a `busy` host asks for; 2 by default. */
  readonly retryAfterSeconds?: number;
  /** How a `busy` host says so (RFC 9110 §10.2.3); `seconds` by default. */
  readonly retryAfterForm?: 'seconds' | 'date';
  /** Where `/out/0`, `/out/1` … of a `redirects` host lead: host and path, as in `h0.test/p/1`. */
  readonly redirectsTo?: readonly string[];
}

/**
 * Well-behaved hosts `h0.test`, `h1.test` …, each with `pages` pages. Every host is linked from the home page of
 * another, at most two hosts away from `h0.test` up to 2,551 hosts, and links on to its neighbour.
 */
export function goodWeb({ hosts, pages }: { hosts: number; pages: number }): readonly HostSpec[] {
  return Array.from({ length: hosts }, (_, index) => ({
    name: goodHostName(index),
    pages,
    kind: 'good',
    linksTo: neighbours(index, hosts).map(goodHostName),
  }));
}

/**
 * One host of each kind of misbehaviour and three good ones, all linked from the first, `good0.test`. Its waits are
 * short: `Retry-After` and `Crawl-delay` are 2 s.
 */
export function mixedWeb(): readonly HostSpec[] {
  const others = [...GOOD_COMPANY, ...MISBEHAVED];
  return [
    { name: 'good0.test', pages: 8, kind: 'good', linksTo: others.map(({ name }) => name) },
    ...others,
  ];
}

const GOOD_COMPANY: readonly HostSpec[] = [
  { name: 'good1.test', pages: 6, kind: 'good', linksTo: ['good2.test', 'robots.test'] },
  { name: 'good2.test', pages: 6, kind: 'good', linksTo: ['good0.test', 'busy.test'] },
];

const MISBEHAVED: readonly HostSpec[] = [
  { name: 'robots.test', pages: 4, kind: 'robots' },
  { name: 'crawl-delay.test', pages: 3, kind: 'robots', crawlDelaySeconds: 2 },
  { name: 'robots404.test', pages: 3, kind: 'robots404' },
  { name: 'robots503.test', pages: 3, kind: 'robots503' },
  { name: 'robots-recovers.test', pages: 3, kind: 'robotsRecovers' },
  { name: 'robots-redirect.test', pages: 3, kind: 'robotsRedirect', robotsFrom: 'good1.test' },
  { name: 'busy.test', pages: 6, kind: 'busy' },
  { name: 'busy-date.test', pages: 4, kind: 'busy', everyNth: 3, retryAfterForm: 'date' },
  { name: 'unavailable.test', pages: 6, kind: 'unavailable' },
  {
    name: 'redirects.test',
    pages: 3,
    kind: 'redirects',
    redirectsTo: ['good2.test/p/1', 'robots.test/private/1', 'unknown.test/'],
  },
  { name: 'slow.test', pages: 3, kind: 'slow' },
  { name: 'hanging.test', pages: 3, kind: 'hanging' },
  { name: 'refused.test', pages: 3, kind: 'refused' },
  { name: 'broken.test', pages: 3, kind: 'broken' },
  { name: 'server-error.test', pages: 3, kind: 'serverError' },
  { name: 'missing.test', pages: 3, kind: 'missing' },
  { name: 'sitemaps.test', pages: 2, kind: 'sitemaps' },
  { name: 'unknown.test', pages: 3, kind: 'nxdomain' },
];

const HOSTS_PER_HOME_PAGE = 50;

function goodHostName(index: number): string {
  return `h${index}.test`;
}

function neighbours(index: number, hosts: number): readonly number[] {
  const firstChild = index * HOSTS_PER_HOME_PAGE + 1;
  const childCount = Math.max(0, Math.min(HOSTS_PER_HOME_PAGE, hosts - firstChild));
  const children = Array.from({ length: childCount }, (_, offset) => firstChild + offset);
  const next = (index + 1) % hosts;

  return children.includes(next) || next === index ? children : [...children, next];
}
