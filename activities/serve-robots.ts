import { randomUUID } from 'node:crypto';
import {
  LEASE_MS,
  type ClaimedRequest,
  type HostClock,
  type Lease,
  type RobotsState,
  type ClaimedUrl,
} from '../db/claim.ts';
import { claimHost, giveBack } from '../db/leases.ts';
import { writeRobots, type RobotsUpdate } from '../db/robots.ts';
import type { FetchRecord, OutboxRow } from '../db/settle.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { politenessGapMs } from '../domain/gap.ts';
import { hostKeyOf } from '../domain/host-key.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import {
  crawlDelayMs,
  decodeRobots,
  MAX_ROBOTS_BYTES,
  parseRobots,
  productTokenOf,
} from '../domain/robots.ts';
import {
  ROBOTS_MAX_HOPS,
  ROBOTS_TTL_MS,
  robotsAccessOf,
  robotsPauseMs,
} from '../domain/robots-access.ts';
import { fetchUrl, type FetchResult } from '../web/fetch-url.ts';
import type { Resolution } from '../web/resolver.ts';
import type { ActivityDeps } from './deps.ts';
import { debtAfter, hostSettlementNow, owedNowMs, type HostDebt } from './host-settlement.ts';
import { keepLease } from './keep-lease.ts';
import { lookUp } from './look-up.ts';
import { settleWithoutRequest } from './put-back.ts';
import { plainText } from './plain-text.ts';
import { settleSurely } from './settle-surely.ts';
import type { Served } from './served.ts';
import type { Stay } from './stay.ts';

/** A host claimed for one request of a robots.txt, whose result belongs to another host where the file redirected. */
interface RobotsErrand {
  readonly lease: Lease;
  readonly clock: HostClock;
  readonly target: RequestUrl;
  readonly url: ClaimedUrl;
  readonly robots: RobotsState;
  readonly ownHost: boolean;
  readonly ownHostId: number;
}

/**
 * Reads the robots.txt of a claimed URL's origin, one hop of it a request (R15, R16). A hop on another host is made
 * under that host's own claim: the first is given back before, so that no visit holds two leases.
 */
export async function serveRobots(
  deps: ActivityDeps,
  stay: Stay,
  claimed: ClaimedRequest,
): Promise<Served> {
  const { lease, url, robots, clock } = claimed;
  const target = asRequestUrl(robots.hopUrl ?? `${robots.origin}/robots.txt`);
  const ownHost = robots.hopUrl === null || hostKeyOf(target) === hostKeyOf(url.requestUrl);
  const hostname = hostKeyOf(target);
  const name = await lookUp(deps, stay, hostname, url.settings);
  if (name.kind === 'underWay') {
    await giveBack(deps.db, lease, url, { claimed: false });
    await name.finish();
    return { kind: 'nothingSent', waitMs: 0 };
  }
  const { resolution } = name;
  if (ownHost && resolution.kind === 'failed')
    return settleWithoutRequest(deps, claimed, resolution);
  const errand = { lease, clock, target, url, robots, ownHost, ownHostId: lease.hostId };
  if (ownHost) return run(deps, stay, errand, resolution);

  await giveBack(deps.db, lease, url, { claimed: false });
  const guest = await claimHost(
    deps.db,
    hostname,
    randomUUID(),
    bookedGapMs(url.settings, clock, LEASE_MS),
  );
  if (guest.kind === 'notYet') return { kind: 'nothingSent', waitMs: guest.waitMs };
  return run(deps, stay, { ...errand, lease: guest.lease, clock: guest.clock }, resolution);
}

async function run(
  deps: ActivityDeps,
  stay: Stay,
  errand: RobotsErrand,
  resolution: Resolution,
): Promise<Served> {
  const { target, url } = errand;
  stay.showing({ doing: 'fetching', url: target });
  stay.requests += 1;
  const result = await send(deps, errand, resolution);
  const lostLease = result.outcome.kind === 'failed' && result.outcome.reason === 'leaseLost';
  const update = lostLease ? undefined : robotsUpdateOf(errand, result);
  if (update !== undefined) await writeRobots(deps.db, update);
  const crawlDelay =
    update?.read.kind === 'answered' && errand.ownHost
      ? update.read.crawlDelayMs
      : errand.clock.crawlDelayMs;
  const debt = debtAfter(url.settings, { ...errand.clock, crawlDelayMs: crawlDelay }, result);
  await settleErrand(deps, errand, result, debt);
  stay.notes.push({ url: target, outcome: noteOf(result), at: new Date().toISOString() });
  const guestWaits = errand.ownHost ? owedNowMs(debt) : 0;
  return {
    kind: 'sent',
    hostId: errand.lease.hostId,
    owedMs: guestWaits,
    durable: errand.ownHost && debt.blockMs > 0,
  };
}

async function send(
  deps: ActivityDeps,
  errand: RobotsErrand,
  resolution: Resolution,
): Promise<FetchResult> {
  if (resolution.kind === 'failed') {
    const { reason, detail } = resolution;
    return {
      outcome: { kind: 'failed', reason, status: undefined, detail },
      fetchMs: 0,
      endedAtMs: performance.now(),
      answer: undefined,
    };
  }
  const { settings } = errand.url;
  const startedAtMs = performance.now();
  const kept = keepLease(deps.db, errand.lease, () =>
    bookedGapMs(settings, errand.clock, performance.now() - startedAtMs + LEASE_MS),
  );
  try {
    return await fetchUrl({
      url: errand.target,
      userAgent: settings.userAgent,
      addresses: resolution.addresses,
      allowPrivate: settings.allowPrivate,
      connectTimeoutMs: settings.connectTimeoutMs,
      pageTimeoutMs: settings.pageTimeoutMs,
      maxBodyBytes: MAX_ROBOTS_BYTES,
      signal: kept.lost,
    });
  } finally {
    kept.letGo();
  }
}

/** The gap that a request of that length would leave, for booking. */
export function bookedGapMs(settings: CrawlSettings, clock: HostClock, fetchMs: number): number {
  const { crawlDelayMs: delayMs, backoffLevel } = clock;
  return politenessGapMs(settings, { fetchMs, crawlDelayMs: delayMs, backoffLevel });
}

function robotsUpdateOf(
  { ownHostId, robots, url }: RobotsErrand,
  { outcome, answer }: FetchResult,
): RobotsUpdate {
  const { origin } = robots;
  const status = 'status' in outcome ? (outcome.status ?? null) : null;
  const access = robotsAccessOf(outcome);
  const hostId = ownHostId;
  if (access === 'unreachable') {
    return {
      hostId,
      origin,
      read: { kind: 'unreachable', status, pauseMs: robotsPauseMs(robots.tries + 1) },
    };
  }
  if (access === 'redirected' && outcome.kind === 'redirected' && robots.hops < ROBOTS_MAX_HOPS) {
    return {
      hostId,
      origin,
      read: { kind: 'redirected', status: outcome.status, to: outcome.location },
    };
  }
  const body =
    access === 'rules'
      ? (answer?.body ?? Buffer.alloc(0)).subarray(0, MAX_ROBOTS_BYTES)
      : Buffer.alloc(0);
  const rules = parseRobots(decodeRobots(body), productTokenOf(url.settings.userAgent));
  return {
    hostId,
    origin,
    read: {
      kind: 'answered',
      access: access === 'rules' ? 'rules' : 'allowAll',
      status: status ?? 0,
      body,
      ttlMs: ROBOTS_TTL_MS,
      crawlDelayMs: Math.min(crawlDelayMs(rules) ?? 0, url.settings.crawlDelayCapMs),
    },
  };
}

async function settleErrand(
  deps: ActivityDeps,
  errand: RobotsErrand,
  result: FetchResult,
  debt: HostDebt,
): Promise<void> {
  const { outcome, answer } = result;
  const record = (): FetchRecord => ({
    requestUrl: errand.target,
    fetchedAgoMs: performance.now() - result.endedAtMs + result.fetchMs,
    fetchMs: Math.round(result.fetchMs),
    status: answer?.status ?? null,
    outcome: `robots ${outcome.kind === 'putOff' ? 'put off' : outcome.kind}`,
    reason: outcome.kind === 'failed' ? plainText(`${outcome.reason}: ${outcome.detail}`) : null,
    location: outcome.kind === 'redirected' ? outcome.location : null,
    contentType: plainText(answer?.contentType ?? ''),
    digest: null,
    bodyBytes: answer?.rawBody.byteLength ?? 0,
    truncated: answer?.truncated ?? false,
    links: 0,
    title: null,
    noindex: false,
    warcFile: null,
    warcOffset: null,
    warcLength: null,
  });
  deps.notBefore.set(errand.lease.hostId, debt.endedAtMs + Math.max(debt.gapMs, debt.blockMs));
  await settleSurely(deps, errand.lease, () => ({
    crawlId: errand.url.crawlId,
    host: hostSettlementNow(debt),
    url: null,
    record: record(),
    outbox: TOUCH,
  }));
}

/** Only lets the prioritizer look at the host's standing anew. */
const TOUCH: OutboxRow = {
  outcome: null,
  bytes: 0,
  settled: 0,
  released: 0,
  foundOn: null,
  links: [],
};

function noteOf({ outcome }: FetchResult): string {
  switch (outcome.kind) {
    case 'fetched':
    case 'redirected':
    case 'putOff':
      return String(outcome.status);
    case 'failed':
      return outcome.reason;
  }
}
