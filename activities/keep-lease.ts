import { LEASE_MS, type GrantedLease } from '../db/claim.ts';
import { renewLease } from '../db/leases.ts';
import type { Db } from '../db/pool.ts';

/** Renewals are sent this often, in milliseconds: two may be late before the lease runs out. Our choice. */
const RENEW_EVERY_MS = 650;

/** How often to look whether the lease still stands, in milliseconds. Our choice. */
const LOOK_EVERY_MS = 100;

/** A lease that is renewed until it is let go. */
export interface KeptLease {
  /** Aborted when the lease was lost or could not be renewed in time: the request must be broken off. */
  readonly lost: AbortSignal;
  readonly letGo: () => void;
}

/**
 * Renews a lease while a request lasts, each time booking what a crash would then owe.
 *
 * @param gapAfterMs the politeness gap if the request ended when the renewed lease does.
 */
export function keepLease(db: Db, lease: GrantedLease, gapAfterMs: () => number): KeptLease {
  const lost = new AbortController();
  let validUntilMs = lease.askedAtMs + LEASE_MS;
  let renewing = false;

  const renew = async (): Promise<void> => {
    const sentAtMs = performance.now();
    renewing = true;
    try {
      if (await renewLease(db, lease, gapAfterMs())) validUntilMs = sentAtMs + LEASE_MS;
      else lost.abort();
    } catch {
      // The database is away: the request is broken off when the lease runs out below.
    } finally {
      renewing = false;
    }
  };
  const renewals = setInterval(() => {
    if (!renewing) void renew();
  }, RENEW_EVERY_MS);
  const look = (): void => {
    if (performance.now() >= validUntilMs) lost.abort();
  };
  const watch = setInterval(look, LOOK_EVERY_MS);
  look();

  return {
    lost: lost.signal,
    letGo: () => {
      clearInterval(renewals);
      clearInterval(watch);
    },
  };
}
