import { randomUUID } from 'node:crypto';
import { LEASE_MS, type ClaimedRequest } from '../db/claim.ts';
import { claimHost, giveBack, renewLease } from '../db/leases.ts';
import { writeRobots } from '../db/robots.ts';
import { portOf } from '../domain/blocked-ports.ts';
import { destinationOf } from '../domain/destination.ts';
import { hostKeyOf } from '../domain/host-key.ts';
import { paceOf } from '../domain/gap.ts';
import { asRequestUrl } from '../domain/request-url.ts';
import type { ActivityDeps } from './deps.ts';
import { unsent } from './fetch-record.ts';
import { bookedGapMs } from './host-settlement.ts';
import { lookUp } from './look-up.ts';
import { settleWithoutRequest } from './put-back.ts';
import { runErrand } from './robots-errand.ts';
import { robotsUpdateOf } from './robots-update.ts';
import type { Served } from './served.ts';
import type { Stay } from './stay.ts';

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
  const hostname = hostKeyOf(target);
  const isGuest = hostname !== hostKeyOf(url.requestUrl);
  const name = await lookUp(deps, stay, hostname, url.settings);
  if (name.kind === 'known' && name.resolution.kind === 'resolved' && !isGuest) {
    const { addresses } = name.resolution;
    const destination = destinationOf(portOf(target), addresses, url.settings);
    // Where the file itself may not be asked for, none of its host's pages may. A redirect says nothing about them.
    if (destination.kind === 'refused' && robots.hopUrl === null) {
      return settleWithoutRequest(deps, claimed, destination);
    }
    return runErrand(deps, stay, { ...claimed, target, isGuest }, name.resolution.addresses);
  }
  if (name.kind === 'known' && name.resolution.kind === 'failed' && !isGuest) {
    return settleWithoutRequest(deps, claimed, name.resolution);
  }

  await giveBack(deps.db, lease, url, { claimed: false });
  if (name.kind === 'underWay') {
    await name.finish();
    return { kind: 'nothingSent', waitMs: 0 };
  }
  if (name.resolution.kind === 'failed') {
    await writeRobots(deps.db, robotsUpdateOf({ ...claimed, target }, unsent(name.resolution)));
    return { kind: 'nothingSent', waitMs: 0 };
  }
  const bookedMs = bookedGapMs(url.settings, clock, LEASE_MS);
  const guest = await claimHost(deps.db, hostname, randomUUID(), {
    crawlId: url.crawlId,
    gapMs: bookedMs,
  });
  if (guest.kind === 'notYet') return { kind: 'nothingSent', waitMs: guest.waitMs };
  if (guest.kind === 'excluded') {
    const detail = `the policy of ${hostname} excludes it`;
    const refusal = { kind: 'refused', reason: 'addressRefused', detail } as const;
    await writeRobots(deps.db, robotsUpdateOf({ ...claimed, target }, unsent(refusal)));
    return { kind: 'nothingSent', waitMs: 0 };
  }
  // The booking was made before the guest's own backoff and delay were known.
  const pace = paceOf(url.settings, guest.clock.policyGapMs);
  const owedMs = bookedGapMs(pace, guest.clock, LEASE_MS);
  if (owedMs > bookedMs) await renewLease(deps.db, guest.lease, owedMs);
  const errand = { ...guest, url, robots, target, isGuest, robotsHostId: lease.hostId };
  return runErrand(deps, stay, errand, name.resolution.addresses);
}
