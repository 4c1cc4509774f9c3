import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { LEASE_MS } from '../../db/claim.ts';
import { holdHost } from '../../db/holds.ts';
import { claimHost, giveBack, renewLease } from '../../db/leases.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { test } from '../support/database.ts';
import {
  claimNow,
  countOf,
  everything,
  grantedClaim,
  hostLine,
  oneHost,
  urlLines,
} from './a-frontier.ts';

describe('a renewal', () => {
  test('books the lease and the gap anew', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const { lease } = await grantedClaim(db, hostId);

    expect(await renewLease(db, lease, 30_000.2)).toBe(true);

    const { owedMs, allowedInMs, leaseInMs } = await hostLine(db, hostId);
    expect(owedMs).toBe(LEASE_MS + 30_001);
    expect(allowedInMs).toBeGreaterThan(25_000);
    expect(leaseInMs).toBeLessThanOrEqual(LEASE_MS);
  });

  test('by a token that no longer stands changes nothing', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await grantedClaim(db, hostId);
    const before = await everything(db);

    expect(await renewLease(db, { hostId, token: randomUUID() }, 1_000)).toBe(false);
    expect(await everything(db)).toBe(before);
  });

  test('after the lease ran out is granted while nobody else has claimed', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const { lease } = await grantedClaim(db, hostId);
    await db.query(`update host set lease_until = now() - interval '1 minute'`);
    expect(await renewLease(db, lease, 1_000)).toBe(true);

    await db.query(
      `update host set lease_until = now() - interval '1 minute', next_allowed_at = now()`,
    );
    await grantedClaim(db, hostId);
    expect(await renewLease(db, lease, 1_000)).toBe(false);
  });

  test('goes on while the host is held: the request in flight may end', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const { lease } = await grantedClaim(db, hostId);
    await holdHost(db, 'one.test' as HostKey, { who: 'ann', why: 'asked to' });

    expect(await renewLease(db, lease, 1_000)).toBe(true);
  });
});

describe('a claim that is given back', () => {
  test('leaves host and URL as before, to be claimed at once', async ({ db }) => {
    const { hostId } = await oneHost(db, { pageBudget: 1 });
    const { lease, url } = await grantedClaim(db, hostId);

    await giveBack(db, lease, url, { claimed: true });

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', claims: 0, reserved: true }]);
    expect((await grantedClaim(db, hostId)).url.claims).toBe(1);
  });

  test('of a robots.txt leaves the claims of its URL alone', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(`delete from robots`);
    await db.query(`update url set claims = 2`);
    const { lease, url } = await grantedClaim(db, hostId);

    await giveBack(db, lease, url, { claimed: false });

    expect(await urlLines(db)).toMatchObject([{ claims: 2 }]);
  });

  test('by a token that no longer stands changes nothing', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const { url } = await grantedClaim(db, hostId);
    const before = await everything(db);

    await giveBack(db, { hostId, token: randomUUID() }, url, { claimed: true });

    expect(await everything(db)).toBe(before);
  });
});

describe('a claim of a host without a URL of its own', () => {
  const GAP_MS = 20_000;
  const BOOKING = { crawlId: 1, gapMs: GAP_MS };

  test('makes the host where nobody knew it, and books like any claim', async ({ db }) => {
    const claimed = await claimHost(db, 'guest.test', randomUUID(), BOOKING);

    expect(claimed.kind).toBe('claimed');
    const { lease } = claimed as Extract<typeof claimed, { kind: 'claimed' }>;
    expect(await hostLine(db, lease.hostId)).toMatchObject({
      token: lease.token,
      owedMs: LEASE_MS + GAP_MS,
    });
  });

  test('of ten at once one is granted, and the host has one row', async ({ db }) => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, () => claimHost(db, 'guest.test', randomUUID(), BOOKING)),
    );

    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(await countOf(db, 'host')).toBe(1);
  });

  test('is refused before the next allowed time, under a lease and under a hold', async ({
    db,
  }) => {
    const { hostId } = await oneHost(db);
    await db.query(`update host set next_allowed_at = now() + interval '1 hour'`);
    const early = await claimHost(db, 'one.test', randomUUID(), BOOKING);
    expect(early.kind).toBe('notYet');
    expect((early as { waitMs: number }).waitMs).toBeGreaterThan(3_500_000);

    await db.query(
      `update host set next_allowed_at = now(), lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'`,
    );
    expect((await claimHost(db, 'one.test', randomUUID(), BOOKING)).kind).toBe('notYet');

    await db.query(`update host set lease_until = null`);
    await holdHost(db, 'one.test' as HostKey, { who: 'ann', why: 'asked to' });
    const before = await everything(db);
    expect((await claimHost(db, 'one.test', randomUUID(), BOOKING)).kind).toBe('notYet');
    expect(await everything(db)).toBe(before);
    expect((await claimNow(db, hostId)).kind).toBe('held');
  });

  test('shuts out claims for pages, and they shut it out', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await claimHost(db, 'one.test', randomUUID(), BOOKING);
    expect((await claimNow(db, hostId)).kind).toBe('notYet');
  });

  test('waits no longer than it owes after the clock was set back', async ({ db }) => {
    await oneHost(db);
    await db.query(
      `update host
          set clock_at = now() + interval '3 hours', clock_owed_ms = 5000,
              next_allowed_at = now() + interval '3 hours 5 seconds'`,
    );

    const claimed = await claimHost(db, 'one.test', randomUUID(), BOOKING);

    expect(claimed.kind).toBe('notYet');
    expect((claimed as { waitMs: number }).waitMs).toBeLessThanOrEqual(5_000);
  });
});
