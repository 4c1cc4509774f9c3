import { describe, expect } from 'vitest';
import { LEASE_MS } from '../../db/claim.ts';
import { saveCrawl } from '../../db/crawls.ts';
import { explainHost } from '../../db/explain.ts';
import { changePolicy, clearPolicy, listPolicies } from '../../db/host-policies.ts';
import { forgottenHosts } from '../../db/hosts.ts';
import { claimHost, giveBack } from '../../db/leases.ts';
import { listHosts } from '../../db/list-hosts.ts';
import { outlookOf } from '../../db/crawl-end.ts';
import type { Db } from '../../db/pool.ts';
import { settle } from '../../db/settle.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { NO_POLICY, type HostPolicy } from '../../domain/host-policy.ts';
import { parseOpenHours, type OpenHours } from '../../domain/open-hours.ts';
import { test } from '../support/database.ts';
import {
  claimNow,
  countOf,
  everything,
  fetchedSettlement,
  givenUrl,
  GOOD,
  grantedClaim,
  hostLine,
  oneHost,
  openHost,
  readyLines,
  runningCrawl,
  settingsOf,
} from './a-frontier.ts';
import { admitAll } from './a-shard.ts';

const HOST = 'one.test' as HostKey;
const MINUTE_MS = 60_000;

function say(db: Db, subject: string, policy: Partial<HostPolicy>): Promise<void> {
  return changePolicy(db, subject, policy, 'ann');
}

/** Hours of UTC that begin and end that many minutes from now. */
function hoursFromNow(from: number, to: number): OpenHours {
  const clock = (ahead: number): string =>
    new Date(Date.now() + ahead * MINUTE_MS).toISOString().slice(11, 16);
  const hours = parseOpenHours(`${clock(from)}-${clock(to)}`);
  if (hours === undefined) throw new Error('No hours');
  return hours;
}

/** Claims the host's next URL and settles it as fetched; the host may be asked again at once. */
async function fetchOnce(db: Db, hostId: number): Promise<string> {
  const claimed = await grantedClaim(db, hostId);
  await settle(db, claimed.lease, fetchedSettlement(claimed, { host: { ...GOOD, owedMs: 0 } }));
  return claimed.url.requestUrl;
}

async function hostOf(db: Db, pages: number): Promise<{ crawlId: number; hostId: number }> {
  const { crawlId, hostId } = await oneHost(db);
  for (let at = 1; at < pages; at += 1) {
    await givenUrl(db, { crawlId, hostId }, `http://one.test/${at}`, { dueInMs: -1_000 + at });
  }
  return { crawlId, hostId };
}

describe('a policy', () => {
  test('changes what is named and keeps the rest; what says nothing more is gone', async ({
    db,
  }) => {
    await say(db, HOST, { gapMs: 5_000, excluded: true });
    await say(db, HOST, { pagesADay: 10, excluded: false });
    expect(await listPolicies(db)).toMatchObject([
      { ...NO_POLICY, subject: HOST, gapMs: 5_000, pagesADay: 10, setBy: 'ann' },
    ]);

    await say(db, HOST, { pagesADay: null });
    await say(db, HOST, { gapMs: null });
    expect(await listPolicies(db)).toEqual([]);
    expect(await clearPolicy(db, HOST)).toBe(false);
  });

  test.for([
    ['one.test', 'domain:one.test', 'one.test'],
    ['one.test', 'domain:test', 'domain:test'],
    ['www.one.test', 'domain:one.test', 'domain:one.test'],
    ['www.one.test', 'one.test', null],
    ['none.test', 'domain:one.test', null],
    ['www.none.test', 'domain:one.test', null],
  ] as const)('of %s beside one of %s: %s goes', async ([host, subject, goes], { db }) => {
    const hostId = await openHost(db, host);
    await givenUrl(db, { crawlId: await runningCrawl(db), hostId }, `http://${host}/`);
    await say(db, subject, { gapMs: 4_000 });
    await say(db, 'one.test', { gapMs: 5_000 });

    const claimed = await grantedClaim(db, hostId);

    const expected = host === 'one.test' ? 'one.test' : goes;
    expect(claimed.clock.policyGapMs).toBe(
      expected === 'one.test' ? 5_000 : expected === null ? null : 4_000,
    );
    expect((await explainHost(db, host as HostKey))?.policy?.subject ?? null).toBe(expected);
  });

  test('of the longest domain goes before those of shorter ones', async ({ db }) => {
    const hostId = await openHost(db, 'a.b.one.test');
    await givenUrl(db, { crawlId: await runningCrawl(db), hostId }, 'http://a.b.one.test/');
    await say(db, 'domain:one.test', { gapMs: 1_000, pagesADay: 5 });
    await say(db, 'domain:b.one.test', { gapMs: 2_000 });
    await say(db, 'domain:test', { gapMs: 3_000 });

    expect((await grantedClaim(db, hostId)).clock.policyGapMs).toBe(2_000);
  });
});

describe('the gap of a policy', () => {
  test.for([
    { policyGapMs: 5_000, crawlDelayMs: 0, backoff: 0, bookedMs: 5_000 },
    { policyGapMs: 5_000, crawlDelayMs: 8_000, backoff: 0, bookedMs: 8_000 },
    { policyGapMs: 5_000, crawlDelayMs: 0, backoff: 2, bookedMs: 20_000 },
  ])(
    'is booked by the claim: $policyGapMs, Crawl-delay $crawlDelayMs, backoff $backoff',
    async (given, { db }) => {
      const { hostId } = await oneHost(db);
      await say(db, HOST, { gapMs: given.policyGapMs });
      await db.query(`update host set crawl_delay_ms = $2, backoff_level = $3 where host_id = $1`, [
        hostId,
        given.crawlDelayMs,
        given.backoff,
      ]);

      await grantedClaim(db, hostId);

      expect((await hostLine(db, hostId)).owedMs).toBe(LEASE_MS + given.bookedMs);
    },
  );

  test('is what hosts and why call it', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await say(db, HOST, { gapMs: 5_000 });
    const claimed = await grantedClaim(db, hostId);
    const host = { ...GOOD, owedMs: 5_000, gapMs: 5_000, fetchMs: 320 };
    await settle(db, claimed.lease, fetchedSettlement(claimed, { host }));

    const base = { kind: 'policy', policyGapMs: 5_000 };
    expect((await explainHost(db, HOST))?.gapReason.base).toEqual(base);
    const [listed] = await listHosts(db, { crawlId: null, state: null, sort: 'name', limit: 1 });
    expect(listed?.gapReason.base).toEqual(base);
  });
});

describe('pages a day', () => {
  test('are as many as said, of all crawls together; the rest waits for the next day', async ({
    db,
  }) => {
    const { crawlId, hostId } = await hostOf(db, 3);
    const other = await runningCrawl(db, {}, 'other');
    await givenUrl(db, { crawlId: other, hostId }, 'http://one.test/theirs');
    await say(db, HOST, { pagesADay: 3 });

    const asked = [
      await fetchOnce(db, hostId),
      await fetchOnce(db, hostId),
      await fetchOnce(db, hostId),
    ];
    expect(asked).toContain('http://one.test/theirs');
    const refused = await claimNow(db, hostId);

    expect(refused).toMatchObject({ kind: 'later', robots: false });
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    const { rows } = await db.query<{ until: Date; by: string; claims: number }>(
      `select blocked_until as until, blocked_by as by from host_crawl where host_id = $1`,
      [hostId],
    );
    expect(rows).toEqual([
      { until: new Date(midnight), by: 'pages a day' },
      { until: new Date(midnight), by: 'pages a day' },
    ]);
    expect(
      await countOf(db, `url where state = 'assigned' and claims = 0 and crawl_id = $1`, [crawlId]),
    ).toBe(1);
    // Asked again it says the same, and changes nothing.
    const before = await everything(db);
    expect((await claimNow(db, hostId)).kind).toBe('later');
    expect(await everything(db)).toBe(before);
  });

  test('count robots.txt, and requests that a kill cut short; what was not sent they do not', async ({
    db,
  }) => {
    const { hostId } = await hostOf(db, 3);
    await say(db, HOST, { pagesADay: 2 });
    await db.query(`update robots set expires_at = now() - interval '1 s'`);

    const robots = await grantedClaim(db, hostId);
    expect(robots.kind).toBe('robots');
    // Nobody settles it: the worker was killed.
    await db.query(`update host set lease_until = now(), next_allowed_at = now()`);
    await db.query(`update robots set expires_at = now() + interval '1 day'`);

    const looked = await grantedClaim(db, hostId);
    await giveBack(db, looked.lease, looked.url, { claimed: true });
    const unsent = await grantedClaim(db, hostId);
    await settle(db, unsent.lease, fetchedSettlement(unsent, { host: null }));
    await fetchOnce(db, hostId);

    expect((await claimNow(db, hostId)).kind).toBe('later');
  });

  test('begin anew with the day', async ({ db }) => {
    const { hostId } = await hostOf(db, 4);
    await say(db, HOST, { pagesADay: 2 });
    await fetchOnce(db, hostId);
    await fetchOnce(db, hostId);
    expect((await claimNow(db, hostId)).kind).toBe('later');

    await db.query(`update host set asked_since = asked_since - interval '1 day'`);
    await db.query(`update host_crawl set blocked_until = now()`);

    await fetchOnce(db, hostId);
    expect(await countOf(db, `host where asked = 1`)).toBe(1);
  });

  test('of a crawl’s own limit stop that crawl; a policy comes before it', async ({ db }) => {
    const crawlId = await runningCrawl(db, { hostPagesADay: 2 });
    const hostId = await openHost(db, HOST);
    for (let at = 0; at < 4; at += 1)
      await givenUrl(db, { crawlId, hostId }, `http://one.test/${at}`);
    const other = await runningCrawl(db, {}, 'other');
    await fetchOnce(db, hostId);
    await fetchOnce(db, hostId);
    expect((await claimNow(db, hostId)).kind).toBe('later');

    await givenUrl(db, { crawlId: other, hostId }, 'http://one.test/theirs');
    expect(await fetchOnce(db, hostId)).toBe('http://one.test/theirs');
    expect((await claimNow(db, hostId)).kind).toBe('later');

    await say(db, HOST, { pagesADay: 10 });
    await fetchOnce(db, hostId);
    await clearPolicy(db, HOST);
    expect((await claimNow(db, hostId)).kind).toBe('later');

    await saveCrawl(db, 'test', settingsOf({ hostPagesADay: 100 }));
    await fetchOnce(db, hostId);
  });
});

describe('hours', () => {
  test('forbid a claim until they begin, and say so', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db);
    const hours = hoursFromNow(120, 180);
    await say(db, HOST, { hours });

    const refused = await claimNow(db, hostId);

    expect(refused.kind).toBe('later');
    const explained = await explainHost(db, HOST);
    expect(explained?.reason).toContain(`outside the hours of its policy, ${hours.text}`);
    expect(explained?.gapReason.block).toMatchObject({ kind: 'policy', by: 'hours' });
    const [listed] = await listHosts(db, { crawlId, state: null, sort: 'name', limit: 1 });
    expect(listed?.gapReason.block).toEqual(explained?.gapReason.block);
    expect(listed?.nextAllowedAt).toEqual(explained?.gapReason.block?.until);
    expect((listed?.nextAllowedAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(118 * MINUTE_MS);
    expect(await countOf(db, `host where asked = 0 and lease_token is null`)).toBe(1);
  });

  test('allow it while they last', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await say(db, HOST, { hours: hoursFromNow(-60, 60) });
    await fetchOnce(db, hostId);
  });

  test('keep the host out of pulls and of what is fed again, until they are lifted', async ({
    db,
  }) => {
    const { crawlId, hostId } = await oneHost(db, { waitForRetries: false });
    await givenUrl(db, { crawlId, hostId }, 'http://one.test/queued', { state: 'queued' });
    await db.query(`update url set due_at = now() - interval '1 hour'`);
    const forgotten = () => forgottenHosts(db, { crawlId, atOnce: false, after: 0 });
    expect(await forgotten()).toHaveLength(1);
    await say(db, 'domain:test', { hours: hoursFromNow(120, 180) });
    await claimNow(db, hostId);
    await db.query(`update host set next_allowed_at = now() - interval '1 hour'`);

    await db.query(`insert into outbox (crawl_id, host_id) values ($1, $2)`, [crawlId, hostId]);
    await admitAll(db, crawlId);

    expect(await readyLines(db)).toMatchObject([{ standing: 'blocked' }]);
    expect(await forgotten()).toEqual([]);
    expect((await outlookOf(db, crawlId)).end).toBe('only retries left');

    await clearPolicy(db, 'domain:test');
    await admitAll(db, crawlId);
    expect(await readyLines(db)).toMatchObject([{ standing: 'idle' }]);
    expect(await forgotten()).toHaveLength(1);
    await fetchOnce(db, hostId);
  });
});

describe('an excluded host', () => {
  test('is asked for nothing, and its URLs come to be excluded', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await say(db, HOST, { excluded: true });

    expect((await claimNow(db, hostId)).kind).toBe('excluded');
    expect((await explainHost(db, HOST))?.reason).toBe('A request to it is in flight.');
  });

  test('gets no guest’s robots.txt either', async ({ db }) => {
    await say(db, 'guest.test', { excluded: true });
    const order = { crawlId: await runningCrawl(db), gapMs: 1_000 };
    const token = '6f1fca3a-7a0e-4b7f-8d3f-0f6c5f1d0000';
    expect(await claimHost(db, 'guest.test', token, order)).toEqual({ kind: 'excluded' });
    await say(db, 'guest.test', { excluded: false, hours: hoursFromNow(120, 180) });
    expect((await claimHost(db, 'guest.test', token, order)).kind).toBe('notYet');
    expect(
      await countOf(db, `host where host_key = 'guest.test' and lease_token is null and asked = 0`),
    ).toBe(1);
  });
});
