import { describe, expect } from 'vitest';
import { holdHost, liftHold, writeHold } from '../../db/holds.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { test } from '../support/database.ts';
import { claimNow, countOf, everything, givenUrl, oneHost, runningCrawl } from './a-frontier.ts';

const HOST = 'one.test' as HostKey;
const ORDER = { who: 'ann', why: 'asked to' };

describe('an order to pause or resume', () => {
  test('holds until it is lifted, each under a higher number', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const paused = await holdHost(db, HOST, ORDER);
    expect((await claimNow(db, hostId)).kind).toBe('held');

    const resumed = await liftHold(db, HOST);

    expect(resumed).toBeGreaterThan(paused);
    expect((await claimNow(db, hostId)).kind).toBe('page');
  });

  test('that is repeated under its number changes nothing', async ({ db }) => {
    await oneHost(db);
    const sequence = await holdHost(db, HOST, ORDER);
    const before = await everything(db);

    expect(await writeHold(db, HOST, { who: 'bob', why: 'late' }, sequence)).toMatchObject({
      hold: ORDER,
      sequence,
    });
    expect(await everything(db)).toBe(before);
  });

  test('that a later one has overtaken changes nothing', async ({ db }) => {
    await oneHost(db);
    const paused = await holdHost(db, HOST, ORDER);
    const resumed = await liftHold(db, HOST);

    expect(await writeHold(db, HOST, ORDER, paused)).toEqual({ hold: null, sequence: resumed });
  });

  test('of many at once leaves one that stands, numbered without gaps', async ({ db }) => {
    await oneHost(db);
    const orders = await Promise.all(
      Array.from({ length: 8 }, (_, at) => holdHost(db, HOST, { who: `w${at}`, why: 'race' })),
    );

    expect([...orders].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await countOf(db, 'host where hold_seq = 8 and hold_since is not null')).toBe(1);
  });

  test('lets every crawl that knows the host look at it anew', async ({ db }) => {
    const { hostId } = await oneHost(db);
    const other = await runningCrawl(db, {}, 'other');
    await givenUrl(db, { crawlId: other, hostId }, 'http://one.test/');

    await holdHost(db, HOST, ORDER);
    expect(await countOf(db, `outbox where host_id = $1`, [hostId])).toBe(2);
    await liftHold(db, HOST);
    expect(await countOf(db, `outbox where host_id = $1`, [hostId])).toBe(4);
  });

  test('holds a host that nobody has met yet', async ({ db }) => {
    await holdHost(db, 'new.test' as HostKey, ORDER);
    expect(await countOf(db, `host where host_key = 'new.test' and hold_who = 'ann'`)).toBe(1);
  });

  test('to resume a host that is unknown or not held does nothing', async ({ db }) => {
    await oneHost(db);
    const before = await everything(db);

    expect(await liftHold(db, HOST)).toBeUndefined();
    expect(await liftHold(db, 'unknown.test' as HostKey)).toBeUndefined();
    expect(await everything(db)).toBe(before);
  });
});
