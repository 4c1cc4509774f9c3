import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { LEASE_MS } from '../../db/claim.ts';
import { markStopping } from '../../db/crawls.ts';
import { holdHost } from '../../db/holds.ts';
import { parseHostKey, type HostKey } from '../../domain/host-key.ts';
import { politenessGapMs } from '../../domain/gap.ts';
import { test } from '../support/database.ts';
import {
  claimNow,
  everything,
  givenUrl,
  grantedClaim,
  hostLine,
  oneHost,
  openHost,
  pagesOf,
  runningCrawl,
  settingsOf,
  urlLines,
} from './a-frontier.ts';

describe('who gets a host', () => {
  test('of fifty claims at once one gets it', async ({ db }) => {
    const { hostId } = await oneHost(db);

    const claims = await Promise.all(Array.from({ length: 50 }, () => claimNow(db, hostId)));

    expect(claims.filter(({ kind }) => kind === 'page')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'notYet')).toHaveLength(49);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', claims: 1 }]);
  });

  test('a claim that waited for the host reads what was written meanwhile', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const tx = await db.connect();
    await tx.query('begin');
    await tx.query(
      `update host set next_allowed_at = now() + interval '1 hour' where host_id = $1`,
      [hostId],
    );
    const waiting = claimNow(db, hostId);
    await somebodyWaits(db);
    await tx.query('commit');
    tx.release();

    const claimed = await waiting;

    expect(claimed).toMatchObject({ kind: 'notYet' });
    expect((claimed as { waitMs: number }).waitMs).toBeGreaterThan(3_500_000);
  });

  test('a claim that waited for a harmless change of the host is granted', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const tx = await db.connect();
    await tx.query('begin');
    await tx.query(`update host set hold_seq = hold_seq + 1 where host_id = $1`, [hostId]);
    const waiting = claimNow(db, hostId);
    await somebodyWaits(db);
    await tx.query('commit');
    tx.release();

    const claimed = await waiting;

    expect(claimed.kind).toBe('page');
    expect((await hostLine(db, hostId)).token).toBe(
      (claimed as { lease: { token: string } }).lease.token,
    );
  });

  test('a claim whose URL was settled while it waited changes nothing', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const tx = await db.connect();
    await tx.query('begin');
    await tx.query(`update host set gap_ms = 5 where host_id = $1`, [hostId]);
    await tx.query(`update url set state = 'done' where host_id = $1`, [hostId]);
    const waiting = claimNow(db, hostId);
    await somebodyWaits(db);
    await tx.query('commit');
    tx.release();

    expect(await waiting).toMatchObject({ kind: 'notYet' });
    expect(await hostLine(db, hostId)).toMatchObject({
      token: null,
      leaseInMs: null,
      allowedInMs: null,
    });
    expect(await claimNow(db, hostId)).toEqual({ kind: 'empty' });
  });

  async function somebodyWaits(db: Parameters<typeof claimNow>[0]): Promise<void> {
    await expect
      .poll(
        async () => {
          const { rowCount } = await db.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rowCount;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0);
  }
});

describe('a claim is refused', () => {
  test('before the next allowed time, with the milliseconds that remain', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(`update host set next_allowed_at = now() + interval '1 hour'`);
    const before = await everything(db);

    const claimed = await claimNow(db, hostId);

    expect(claimed.kind).toBe('notYet');
    const { waitMs } = claimed as { waitMs: number };
    expect(waitMs).toBeLessThanOrEqual(3_600_000);
    expect(waitMs).toBeGreaterThan(3_500_000);
    expect(await everything(db)).toBe(before);
  });

  test('while a lease lasts, whatever the next allowed time', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(
      `update host set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'`,
    );

    expect(await claimNow(db, hostId)).toMatchObject({ kind: 'notYet' });
  });

  test('where nothing is due, and then changes nothing', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const hostId = await openHost(db, 'one.test');
    const empty = await everything(db);
    expect(await claimNow(db, hostId)).toEqual({ kind: 'empty' });
    expect(await everything(db)).toBe(empty);

    await givenUrl(db, { crawlId, hostId }, 'http://one.test/later', { dueInMs: 3_600_000 });
    const later = await everything(db);
    expect(await claimNow(db, hostId)).toMatchObject({ kind: 'later', robots: false });
    expect(await everything(db)).toBe(later);
  });

  test('for a host that nobody knows', async ({ db }) => {
    expect(await claimNow(db, 4_711)).toEqual({ kind: 'empty' });
  });

  test('while somebody holds the host, until the hold has passed', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await holdHost(db, key('one.test'), { who: 'ann', why: 'asked to' });
    const before = await everything(db);

    expect(await claimNow(db, hostId)).toMatchObject({
      kind: 'held',
      hold: { who: 'ann', why: 'asked to', until: null },
    });
    expect(await everything(db)).toBe(before);

    await holdHost(db, key('one.test'), {
      who: 'ann',
      why: 'asked to',
      until: new Date(Date.now() + 3_600_000),
    });
    expect(await claimNow(db, hostId)).toMatchObject({ kind: 'held' });

    await holdHost(db, key('one.test'), {
      who: 'ann',
      why: 'asked to',
      until: new Date(Date.now() - 1_000),
    });
    expect(await claimNow(db, hostId)).toMatchObject({ kind: 'page' });
  });

  test('where its crawl does not run', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db);
    await markStopping(db, crawlId);

    expect(await claimNow(db, hostId)).toEqual({ kind: 'empty' });
  });
});

describe('a claim books', () => {
  test('what a crash would owe: the lease, and the gap of a fetch as long as it', async ({
    db,
  }) => {
    const { hostId } = await oneHost(db, { minGapMs: 100, gapFactor: 10 });

    await grantedClaim(db, hostId);

    const { owedMs, leaseInMs, allowedInMs } = await hostLine(db, hostId);
    expect(owedMs).toBe(LEASE_MS + 10 * LEASE_MS);
    // Both lie ahead of the same instant, so their distance is the gap whatever the machine's pace.
    expect(Math.round((allowedInMs ?? 0) - (leaseInMs ?? 0))).toBe(10 * LEASE_MS);
  });

  test('exactly the gap of the rules, for any settings and any host', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const setting = fc.record({
      minGapMs: fc.integer({ min: 0, max: 100_000 }),
      gapFactor: fc.oneof(
        fc.integer({ min: 0, max: 100 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
      ),
      crawlDelayCapMs: fc.integer({ min: 0, max: 100_000 }),
      crawlDelayMs: fc.integer({ min: 0, max: 100_000 }),
      backoffLevel: fc.integer({ min: 0, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(setting, async ({ crawlDelayMs, backoffLevel, ...policy }) => {
        await db.query(`update crawl set settings = $1`, [JSON.stringify(settingsOf(policy))]);
        await db.query(
          `update host
              set lease_token = null, lease_until = null, clock_at = null, next_allowed_at = 'epoch',
                  crawl_delay_ms = $1, backoff_level = $2`,
          [crawlDelayMs, backoffLevel],
        );

        await grantedClaim(db, hostId);

        const gapMs = politenessGapMs(policy, { fetchMs: LEASE_MS, crawlDelayMs, backoffLevel });
        expect((await hostLine(db, hostId)).owedMs).toBe(LEASE_MS + gapMs);
      }),
      { numRuns: 150 },
    );
  });
});

describe('robots.txt comes first', () => {
  test('one that was never read is asked for, and the URL stays unclaimed', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(`delete from robots`);

    expect(await grantedClaim(db, hostId)).toMatchObject({
      kind: 'robots',
      robots: { origin: 'http://one.test', access: null, robotsId: null, gaveUp: false },
    });
    expect(await urlLines(db)).toMatchObject([{ claims: 0, reserved: false }]);
  });

  test('one that has run out is asked for again', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(`update robots set expires_at = now() - interval '1 second'`);

    expect((await grantedClaim(db, hostId)).kind).toBe('robots');
  });

  test('is known by origin: another port has its own', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db);
    await db.query(`delete from url`);
    await givenUrl(db, { crawlId, hostId }, 'http://one.test:8080/');

    expect(await grantedClaim(db, hostId)).toMatchObject({
      kind: 'robots',
      robots: { origin: 'http://one.test:8080' },
    });
  });

  test('one that is unreachable is waited for, and then tried again', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await unreachable({ retryIn: '10 minutes', since: '1 minute' });
    const before = await everything(db);
    const claimed = await claimNow(db, hostId);
    expect(claimed).toMatchObject({ kind: 'later', robots: true });
    expect((claimed as { waitMs: number }).waitMs).toBeGreaterThan(500_000);
    expect(await everything(db)).toBe(before);

    await unreachable({ retryIn: '-1 seconds', since: '1 minute' });
    expect((await grantedClaim(db, hostId)).kind).toBe('robots');

    async function unreachable({
      retryIn,
      since,
    }: {
      retryIn: string;
      since: string;
    }): Promise<void> {
      await db.query(
        `update robots
            set access = 'unreachable', expires_at = null, retry_at = now() + $1::interval,
                unreachable_since = now() - $2::interval`,
        [retryIn, since],
      );
    }
  });

  test('is given up where it stayed unreachable for longer than the crawl waits', async ({
    db,
  }) => {
    const { hostId } = await oneHost(db, { robotsWaitMs: 60_000 });
    await db.query(
      `update robots
          set access = 'unreachable', expires_at = null, retry_at = now() + interval '1 hour',
              unreachable_since = now() - interval '61 seconds'`,
    );

    expect(await grantedClaim(db, hostId)).toMatchObject({
      kind: 'page',
      robots: { gaveUp: true },
    });
  });

  test('is waited for no longer than until it is given up', async ({ db }) => {
    const { hostId } = await oneHost(db, { robotsWaitMs: 120_000 });
    await db.query(
      `update robots
          set access = 'unreachable', expires_at = null, retry_at = now() + interval '1 hour',
              unreachable_since = now()`,
    );

    const claimed = await claimNow(db, hostId);

    expect(claimed).toMatchObject({ kind: 'later', robots: true });
    expect((claimed as { waitMs: number }).waitMs).toBeLessThanOrEqual(120_000);
  });
});

describe('among the URLs of a host', () => {
  test('the crawl that was served least recently goes first', async ({ db }) => {
    const hostId = await openHost(db, 'one.test');
    const often = await runningCrawl(db, {}, 'often');
    const rarely = await runningCrawl(db, {}, 'rarely');
    await givenUrl(db, { crawlId: often, hostId }, 'http://one.test/a', { dueInMs: -60_000 });
    await givenUrl(db, { crawlId: rarely, hostId }, 'http://one.test/b', { dueInMs: -1_000 });
    await db.query(
      `update host_crawl set served_at = case when crawl_id = $1 then now() else now() - interval '1 minute' end`,
      [often],
    );

    expect((await grantedClaim(db, hostId)).url).toMatchObject({ crawl: 'rarely' });
  });

  test('of one crawl the one that was due first goes first', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db);
    await givenUrl(db, { crawlId, hostId }, 'http://one.test/old', { dueInMs: -60_000 });

    expect((await grantedClaim(db, hostId)).url).toMatchObject({
      requestUrl: 'http://one.test/old',
    });
  });

  test('a queued, done or dead one is never claimed', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const hostId = await openHost(db, 'one.test');
    for (const state of ['queued', 'done', 'dead', 'excluded']) {
      await givenUrl(db, { crawlId, hostId }, `http://one.test/${state}`, { state });
    }

    expect(await claimNow(db, hostId)).toEqual({ kind: 'empty' });
  });
});

describe('a page budget', () => {
  test('gives a retry one of its pages again', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db, { pageBudget: 1 });

    expect((await grantedClaim(db, hostId)).url.reserved).toBe(true);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 1, settled: 0 });
  });

  test('makes a retry wait while none of its pages is left', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db, { pageBudget: 5 });
    await db.query(`update crawl set pages_reserved = 2, pages_settled = 3`);
    const before = await everything(db);

    expect(await claimNow(db, hostId)).toMatchObject({ kind: 'later', robots: false });
    expect(await everything(db)).toBe(before);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 2, settled: 3 });
  });

  test('asks nothing of a URL that holds a page already', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db, { pageBudget: 5 });
    await db.query(`update crawl set pages_reserved = 5`);
    await db.query(`update url set reserved = true`);

    expect((await grantedClaim(db, hostId)).kind).toBe('page');
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 5, settled: 0 });
  });

  test('is never overdrawn by many hosts at once', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 3 });
    const hostIds: number[] = [];
    for (let at = 0; at < 12; at += 1) {
      const hostId = await openHost(db, `h${at}.test`);
      await givenUrl(db, { crawlId, hostId }, `http://h${at}.test/`);
      hostIds.push(hostId);
    }

    const claims = await Promise.all(hostIds.map((hostId) => claimNow(db, hostId)));

    expect(claims.filter(({ kind }) => kind === 'page')).toHaveLength(3);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 3, settled: 0 });
    expect((await urlLines(db)).filter(({ claims: count }) => count > 0)).toHaveLength(3);
  });
});

describe('a clock that was set back', () => {
  test('makes the host wait what it owed, not the jump', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(
      `update host
          set clock_at = now() + interval '3 hours', clock_owed_ms = 5000,
              next_allowed_at = now() + interval '3 hours 5 seconds'`,
    );

    expect(await claimNow(db, hostId)).toEqual({ kind: 'notYet', waitMs: 5_000 });
    const { allowedInMs, leaseInMs, blockedInMs } = await hostLine(db, hostId);
    expect(allowedInMs).toBeLessThanOrEqual(5_000);
    expect({ leaseInMs, blockedInMs }).toEqual({ leaseInMs: null, blockedInMs: null });
  });

  test('does not release a host early', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(
      `update host
          set clock_at = now() + interval '1 minute', clock_owed_ms = 600000,
              next_allowed_at = now() + interval '11 minutes'`,
    );

    await claimNow(db, hostId);

    const again = await claimNow(db, hostId);
    expect(again.kind).toBe('notYet');
    expect((again as { waitMs: number }).waitMs).toBeGreaterThan(550_000);
  });

  test('cuts a lease and a block to what was owed', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(
      `update host
          set clock_at = now() + interval '3 hours', clock_owed_ms = 60000,
              next_allowed_at = now() + interval '181 minutes', lease_until = now() + interval '3 hours',
              blocked_until = now() + interval '181 minutes'`,
    );

    await claimNow(db, hostId);

    const { leaseInMs, blockedInMs } = await hostLine(db, hostId);
    expect(leaseInMs).toBeLessThanOrEqual(60_000);
    expect(blockedInMs).toBeLessThanOrEqual(60_000);
  });
});

function key(text: string): HostKey {
  const host = parseHostKey(text);
  if (host === undefined) throw new Error(`"${text}" is no host`);
  return host;
}
