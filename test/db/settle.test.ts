import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { settle } from '../../db/settle.ts';
import { test } from '../support/database.ts';
import {
  claimNow,
  countOf,
  everything,
  fetchedSettlement,
  first,
  givenUrl,
  GOOD,
  grantedClaim,
  hostLine,
  linkTo,
  oneHost,
  openHost,
  runningCrawl,
  urlLines,
} from './a-frontier.ts';

describe('a settle', () => {
  test('writes record, URL, outbox row and host at once', async ({ db }) => {
    const { hostId, crawlId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);

    const links = [linkTo('http://two.test/')];
    const host = {
      ...GOOD,
      owedMs: 60_000,
      blockedMs: 60_000,
      health: { backoffLevel: 2, goodAnswers: 1, failuresInARow: 3 },
    };
    expect(await settle(db, claimed.lease, fetchedSettlement(claimed, { host, links }))).toBe(true);

    expect(await urlLines(db)).toMatchObject([{ state: 'done', claims: 0 }]);
    const line = await hostLine(db, hostId);
    expect(line).toMatchObject({
      token: null,
      leaseInMs: null,
      owedMs: 60_000,
      backoffLevel: 2,
      goodAnswers: 1,
      failuresInARow: 3,
    });
    expect(line.allowedInMs).toBeGreaterThan(30_000);
    expect(line.blockedInMs).toBeGreaterThan(30_000);
    const { rows } = await db.query(
      `select crawl_id, host_id, outcome, settled, found_on, links from outbox`,
    );
    expect(rows).toEqual([
      {
        crawl_id: crawlId,
        host_id: hostId,
        outcome: 'fetched',
        settled: 1,
        found_on: 'http://one.test/',
        links,
      },
    ]);
    expect(await countOf(db, 'fetch_record where key_hash is not null and status = 200')).toBe(1);
    expect(
      await countOf(db, `host_crawl where served_at > now() - interval '1 minute' and pages = 1`),
    ).toBe(1);
  });

  test('by a token that no longer stands changes nothing', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    const before = await everything(db);

    const settled = await settle(db, { hostId, token: randomUUID() }, fetchedSettlement(claimed));

    expect(settled).toBe(false);
    expect(await everything(db)).toBe(before);
  });

  test('counts once, however often it is repeated', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);

    expect(await settle(db, claimed.lease, fetchedSettlement(claimed))).toBe(true);
    const after = await everything(db);

    expect(await settle(db, claimed.lease, fetchedSettlement(claimed))).toBe(false);
    expect(await everything(db)).toBe(after);
  });

  test('within its lease replaces what was booked for a crash', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    await db.query(
      `update host set lease_until = now() + interval '1 hour', next_allowed_at = now() + interval '1 day'`,
    );

    await settle(db, claimed.lease, fetchedSettlement(claimed));

    expect((await hostLine(db, hostId)).allowedInMs).toBeLessThanOrEqual(1_000);
  });

  test('after its lease ran out leaves the later next allowed time', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    await db.query(
      `update host set lease_until = now() - interval '1 second', next_allowed_at = now() + interval '1 hour'`,
    );

    expect(await settle(db, claimed.lease, fetchedSettlement(claimed))).toBe(true);

    expect((await hostLine(db, hostId)).allowedInMs).toBeGreaterThan(3_500_000);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
  });

  test('without a request leaves the host free at once, its health and gap untouched', async ({
    db,
  }) => {
    const { hostId } = await oneHost(db);
    await db.query(
      `update host set backoff_level = 3, good_answers = 2, failures_in_row = 1, gap_ms = 77, fetch_ms = 7`,
    );
    const claimed = await grantedClaim(db, hostId);

    await settle(db, claimed.lease, {
      ...fetchedSettlement(claimed, { host: null }),
      record: null,
    });

    expect(await hostLine(db, hostId)).toMatchObject({
      token: null,
      leaseInMs: null,
      backoffLevel: 3,
      goodAnswers: 2,
      failuresInARow: 1,
    });
    expect(await countOf(db, 'host where gap_ms = 77 and fetch_ms = 7')).toBe(1);
    expect(await countOf(db, 'fetch_record')).toBe(0);
    // Nothing is left, so nothing but the host's own clock could refuse it.
    expect(await claimNow(db, hostId)).toEqual({ kind: 'empty' });
    expect((await hostLine(db, hostId)).allowedInMs).toBeLessThanOrEqual(0);
  });

  test('of a robots.txt changes no URL, and keeps a block where no request was sent', async ({
    db,
  }) => {
    const { hostId, crawlId } = await oneHost(db);
    await db.query(`update host set blocked_until = now() + interval '1 hour'`);
    const { lease } = await grantedClaim(db, hostId);

    expect(
      await settle(db, lease, { crawlId, host: null, url: null, record: null, outbox: null }),
    ).toBe(true);

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', claims: 1 }]);
    expect((await hostLine(db, hostId)).blockedInMs).toBeGreaterThan(3_500_000);
    expect(await countOf(db, 'outbox')).toBe(0);
  });

  test('of a good answer ends a block', async ({ db }) => {
    const { hostId } = await oneHost(db);
    await db.query(`update host set blocked_until = now() + interval '1 hour'`);
    const claimed = await grantedClaim(db, hostId);

    await settle(db, claimed.lease, fetchedSettlement(claimed));

    expect((await hostLine(db, hostId)).blockedInMs).toBeNull();
  });

  test('of a URL that was taken back meanwhile leaves it where it is', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    await db.query(`update url set state = 'queued'`);

    expect(await settle(db, claimed.lease, fetchedSettlement(claimed))).toBe(true);

    expect(await urlLines(db)).toMatchObject([{ state: 'queued' }]);
  });

  test('for one crawl leaves the same URL of another crawl alone', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const other = await runningCrawl(db, {}, 'other');
    await givenUrl(db, { crawlId: other, hostId }, 'http://one.test/');
    const claimed = await grantedClaim(db, hostId);

    await settle(db, claimed.lease, fetchedSettlement(claimed));

    expect((await urlLines(db)).map(({ state }) => state).sort()).toEqual(['assigned', 'done']);
  });

  test('holds odd text, long URLs and sizes beyond 32 bits [DBS02, DBS04, DBS11]', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const hostId = await openHost(db, 'one.test');
    const long = `http://one.test/${randomText(4_000)}`;
    await givenUrl(db, { crawlId, hostId }, long);
    const claimed = await grantedClaim(db, hostId);
    const settlement = fetchedSettlement(claimed, {
      links: [linkTo(`http://one.test/${randomText(4_000)}`)],
    });
    const { record, outbox } = settlement;
    if (record === null || outbox === null) throw new Error('No record');
    const odd =
      String.raw`"quoted" 'single' back\slash \u0000 {"json":1} $1 ` +
      '\u{1F577}\u2028\u0007\ud7ff';
    const bytes = 2 ** 40;

    await settle(db, claimed.lease, {
      ...settlement,
      record: {
        ...record,
        title: odd,
        reason: odd,
        bodyBytes: bytes,
        warcOffset: bytes,
        warcLength: bytes,
      },
      outbox: { ...outbox, bytes },
    });

    const { rows } = await db.query<Record<string, unknown>>(
      `select title, reason, request_url as url, body_bytes as "bodyBytes", warc_offset as "warcOffset" from fetch_record`,
    );
    expect(first(rows)).toEqual({
      title: odd,
      reason: odd,
      url: long,
      bodyBytes: bytes,
      warcOffset: bytes,
    });
    expect(await countOf(db, 'outbox where bytes = $1', [bytes])).toBe(1);
  });
});

/** Text that no compression can shorten enough for an index page. */
function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('');
}
