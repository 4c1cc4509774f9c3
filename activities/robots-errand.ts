import { LEASE_MS, type HostClock } from '../db/claim.ts';
import { writeRobots } from '../db/robots.ts';
import { fetchUrl, type FetchResult } from '../web/fetch-url.ts';
import type { ActivityDeps } from './deps.ts';
import { fetchRecordNow, noteOf } from './fetch-record.ts';
import {
  bookedGapMs,
  debtAfter,
  hostSettlementNow,
  owedNowMs,
  settingsAt,
  type HostDebt,
} from './host-settlement.ts';
import { keepLease } from './keep-lease.ts';
import { leaveAloneUntil } from './not-before.ts';
import { requestLimits } from './request-limits.ts';
import { ROBOTS_BYTES_READ, robotsUpdateOf, type RobotsErrandOf } from './robots-update.ts';
import type { Served } from './served.ts';
import { settleSurely } from './settle-surely.ts';
import type { Stay } from './stay.ts';
import { TOUCH } from './url-settlement.ts';
import { robotsAskedAbout } from './validators.ts';

/** A host claimed for one request of a robots.txt; a guest's file is another host's, which redirected there. */
export interface RobotsErrand extends RobotsErrandOf {
  readonly clock: HostClock;
  readonly isGuest: boolean;
}

/** Sends the request, writes what the file says, and settles the host that was asked. */
export async function runErrand(
  deps: ActivityDeps,
  stay: Stay,
  errand: RobotsErrand,
  addresses: readonly string[],
): Promise<Served> {
  const { target, lease } = errand;
  stay.showing({ doing: 'fetching', url: target });
  stay.requests += 1;
  const result = await send(deps, errand, addresses);
  const update = wasBrokenOff(result) ? undefined : robotsUpdateOf(errand, result);
  const delayMs = update === undefined ? undefined : await writeRobots(deps.db, update);
  const settings = settingsAt(errand.url.settings, errand.clock, addresses);
  const debt = debtAfter(settings, clockAfter(errand, delayMs), result);
  leaveAloneUntil(
    deps.notBefore,
    lease.hostId,
    debt.endedAtMs + Math.max(debt.gapMs, debt.blockMs),
  );
  await settleErrand(deps, errand, result, debt);
  stay.notes.push({ url: target, outcome: noteOf(result), at: new Date().toISOString() });
  return {
    kind: 'sent',
    hostId: lease.hostId,
    owedMs: owedNowMs(debt),
    durable: debt.blockMs > 0,
  };
}

async function send(
  deps: ActivityDeps,
  { lease, clock, target, url, robots }: RobotsErrand,
  addresses: readonly string[],
): Promise<FetchResult> {
  const settings = settingsAt(url.settings, clock, addresses);
  const startedAtMs = performance.now();
  const kept = keepLease(deps.db, lease, () =>
    bookedGapMs(settings, clock, performance.now() - startedAtMs + LEASE_MS),
  );
  try {
    return await fetchUrl({
      url: target,
      addresses,
      ...requestLimits(deps, settings),
      maxBodyBytes: ROBOTS_BYTES_READ,
      validators: robotsAskedAbout(robots, target),
      signal: kept.lost,
    });
  } finally {
    kept.letGo();
  }
}

/** Neither our own lost lease nor a protocol that the host won't have says anything about the file. */
function wasBrokenOff({ outcome }: FetchResult): boolean {
  return (
    outcome.kind === 'failed' &&
    (outcome.reason === 'leaseLost' || outcome.reason === 'http1Required')
  );
}

/** The delay that the host's files ask for now counts from this fetch on. */
function clockAfter({ clock, isGuest }: RobotsErrand, delayMs: number | undefined): HostClock {
  return isGuest || delayMs === undefined ? clock : { ...clock, crawlDelayMs: delayMs };
}

async function settleErrand(
  deps: ActivityDeps,
  { lease, target, url }: RobotsErrand,
  result: FetchResult,
  debt: HostDebt,
): Promise<void> {
  const { kind } = result.outcome;
  const outcome = `robots ${kind === 'putOff' ? 'put off' : kind}`;
  await settleSurely(deps, lease, () => ({
    crawlId: url.crawlId,
    host: hostSettlementNow(debt),
    url: null,
    record: fetchRecordNow(target, outcome, result),
    outbox: TOUCH,
  }));
}
