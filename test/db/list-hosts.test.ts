import { describe, expect } from 'vitest';
import { countHosts, HOST_SORTS, listHosts } from '../../db/list-hosts.ts';
import type { HostsOrder, ListedHost } from '../../db/list-hosts.ts';
import { explainHost } from '../../db/explain.ts';
import { holdHost } from '../../db/holds.ts';
import type { Db } from '../../db/pool.ts';
import { settle } from '../../db/settle.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { test } from '../support/database.ts';
import {
  fetchedSettlement,
  GOOD,
  givenUrl,
  grantedClaim,
  oneHost,
  openHost,
  runningCrawl,
} from './a-frontier.ts';

const ORDER: HostsOrder = { crawlId: null, state: null, sort: 'next', limit: 50 };

async function namesBy(db: Db, order: Partial<HostsOrder>): Promise<readonly string[]> {
  return (await listHosts(db, { ...ORDER, ...order })).map(({ host }) => host);
}

async function only(db: Db, order: Partial<HostsOrder> = {}): Promise<ListedHost> {
  const [host] = await listHosts(db, { ...ORDER, ...order });
  if (host === undefined) throw new Error('No host is listed');
  return host;
}

/** Three hosts: `slow` live with the longest gap, `soon` live and next, `calm` idle with the most queued. */
async function threeHosts(db: Db): Promise<number> {
  const crawlId = await runningCrawl(db);
  for (const [name, state, gapMs, aheadMs, queued, pages] of [
    ['slow.test', 'live', 9_000, 60_000, 1, 2],
    ['soon.test', 'live', 1_000, 500, 2, 9],
    ['calm.test', 'idle', 2_000, -5_000, 5, 4],
  ] as const) {
    const hostId = await openHost(db, name);
    for (let at = 0; at < queued; at += 1) {
      await givenUrl(db, { crawlId, hostId }, `http://${name}/${at}`, { state: 'queued' });
    }
    await db.query(
      `update host set state = $2, gap_ms = $3, next_allowed_at = now() + $4 * interval '1 ms' where host_id = $1`,
      [hostId, state, gapMs, aheadMs],
    );
    await db.query(`update host_crawl set pages = $2 where host_id = $1`, [hostId, pages]);
  }
  return crawlId;
}

describe('hosts', () => {
  test('come in the order that is asked for', async ({ db }) => {
    await threeHosts(db);
    const sorted = await Promise.all(HOST_SORTS.map((sort) => namesBy(db, { sort })));
    expect(Object.fromEntries(HOST_SORTS.map((sort, at) => [sort, sorted[at]]))).toEqual({
      next: ['soon.test', 'slow.test', 'calm.test'],
      name: ['calm.test', 'slow.test', 'soon.test'],
      gap: ['slow.test', 'calm.test', 'soon.test'],
      pages: ['soon.test', 'calm.test', 'slow.test'],
      queue: ['calm.test', 'soon.test', 'slow.test'],
    });
  });

  test('are limited, and the rest is counted', async ({ db }) => {
    await threeHosts(db);
    for (const sort of HOST_SORTS) expect(await namesBy(db, { sort, limit: 2 })).toHaveLength(2);
    expect(await countHosts(db, ORDER)).toBe(3);
    expect(await countHosts(db, { crawlId: null, state: 'live' })).toBe(2);
  });

  test('are chosen by state in every order, a hold before any other', async ({ db }) => {
    await threeHosts(db);
    await holdHost(db, 'slow.test' as HostKey, { who: 'ann', why: 'asked to' });
    await holdHost(db, 'calm.test' as HostKey, { who: 'bob', why: 'over', until: new Date(0) });
    for (const sort of HOST_SORTS) {
      expect(await namesBy(db, { sort, state: 'held' })).toEqual(['slow.test']);
      expect(await namesBy(db, { sort, state: 'live' })).toEqual(['soon.test']);
      expect(await namesBy(db, { sort, state: 'idle' })).toEqual(['calm.test']);
    }
  });

  test('under a pause are listed with who, why and until when', async ({ db }) => {
    await threeHosts(db);
    const until = new Date(Date.now() + 3_600_000);
    await holdHost(db, 'soon.test' as HostKey, { who: 'ann', why: 'asked to', until });
    expect(await only(db, { state: 'held' })).toMatchObject({
      state: 'held',
      hold: { who: 'ann', why: 'asked to', until },
    });
  });

  test('of one crawl are listed with its part only', async ({ db }) => {
    const crawlId = await threeHosts(db);
    const other = await runningCrawl(db, {}, 'other');
    const hostId = await openHost(db, 'soon.test');
    await givenUrl(db, { crawlId: other, hostId }, 'http://soon.test/theirs');
    await db.query(`update host_crawl set pages = 7 where crawl_id = $1`, [other]);

    for (const sort of HOST_SORTS) {
      expect(await namesBy(db, { sort, crawlId: other })).toEqual(['soon.test']);
    }
    expect(await countHosts(db, { crawlId: other, state: null })).toBe(1);
    expect(await only(db, { crawlId: other })).toMatchObject({ queued: 0, assigned: 1, pages: 7 });
    expect(await only(db, { crawlId })).toMatchObject({ queued: 2, assigned: 0, pages: 9 });
    expect(await only(db)).toMatchObject({ queued: 2, assigned: 1, pages: 16, timeLeftMs: 3_000 });
  });

  test('are listed with their last fetch and how their gap came about, as why has it', async ({
    db,
  }) => {
    const { hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    const host = { ...GOOD, owedMs: 3_200, gapMs: 3_200, fetchMs: 320 };
    await settle(db, claimed.lease, fetchedSettlement(claimed, { host }));

    const listed = await only(db);
    expect(listed.lastFetch).toMatchObject({ outcome: 'fetched', status: 200 });
    expect(listed.gapReason.base).toEqual({ kind: 'fetchTime', gapFactor: 10, fetchMs: 320 });
    const explained = await explainHost(db, 'one.test' as HostKey);
    expect(explained?.gapReason).toEqual(listed.gapReason);
  });

  test('that nobody has asked yet have no last fetch and no estimate', async ({ db }) => {
    await oneHost(db);
    expect(await only(db)).toMatchObject({
      nextAllowedAt: null,
      lastFetch: null,
      timeLeftMs: null,
      gapReason: { base: { kind: 'unasked' } },
    });
  });
});
