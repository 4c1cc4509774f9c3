import { MANUAL_HOSTS, type ManualHost } from './manual-hosts.ts';
import { requestsTo, type LoggedRequest, type ManualSites } from './manual-sites.ts';
import { expectNone, repeated, urlsOf, type Tally } from './tally.ts';

/** nginx reads its clock to the millisecond, once for a request's start and once for its end. */
const CLOCK_ERROR_MS = 2;

export interface Manners {
  readonly minGapMs: number;
  /** When the crawl was killed; without it, no page may be asked for twice. */
  readonly killedAtMs?: number;
}

/** Whether the crawler kept its manners, by the servers' own log. */
export async function checkManners(
  { check }: Tally,
  sites: ManualSites,
  requests: readonly LoggedRequest[],
  { minGapMs, killedAtMs }: Manners,
): Promise<void> {
  const hosts = MANUAL_HOSTS.map((one) => ({ one, asked: requestsTo(one, sites, requests) }));
  const asked = hosts.filter((host) => host.asked.length > 0);

  await check('each host was asked for robots.txt before anything else', () => {
    if (asked.length === 0) throw new Error('Nothing was asked for');
    const firsts = urlsOf(asked.flatMap((host) => host.asked[0] ?? []));
    expectNone(
      firsts.filter((url) => !url.endsWith('/robots.txt')),
      'First asked for',
    );
  });
  await check('nothing that a robots.txt forbids was asked for', () => {
    const forbidden = asked.flatMap((host) => host.asked.filter((page) => isForbidden(host, page)));
    expectNone(urlsOf(forbidden), 'Asked for against robots.txt');
  });
  await check(`each host was left alone for ${minGapMs} ms after each answer`, () => {
    expectNone(urlsOf(asked.flatMap((host) => hasty(host.asked, minGapMs))), 'Asked too soon');
  });
  await check(
    killedAtMs === undefined
      ? 'no page was asked for twice'
      : 'no page was asked for twice but those in flight at the kill, one a host at most',
    () => {
      const inFlight = asked.flatMap((host) => lastBefore(host.asked, killedAtMs) ?? []);
      const again = repeated(urlsOf(asked.flatMap((host) => host.asked)));
      expectNone(repeated(again), 'Asked a third time');
      expectNone(
        again.filter((url) => !urlsOf(inFlight).includes(url)),
        'Asked again',
      );
    },
  );
}

function isForbidden({ one }: { readonly one: ManualHost }, { url }: LoggedRequest): boolean {
  const { pathname, search } = new URL(url);
  return one.forbidden.test(pathname + search);
}

function hasty(requests: readonly LoggedRequest[], minGapMs: number): readonly LoggedRequest[] {
  return requests.filter((request, n) => {
    const before = requests[n - 1];
    if (before === undefined) return false;
    return request.startedAtMs - before.endedAtMs < minGapMs - CLOCK_ERROR_MS;
  });
}

function lastBefore(
  requests: readonly LoggedRequest[],
  whenMs: number | undefined,
): LoggedRequest | undefined {
  return whenMs === undefined
    ? undefined
    : requests.findLast(({ startedAtMs }) => startedAtMs <= whenMs + CLOCK_ERROR_MS);
}
