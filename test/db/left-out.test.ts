import { describe, expect } from 'vitest';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import { changeExcludes } from '../../db/excludes.ts';
import { leftOutOf, leftOutOfHost } from '../../db/left-out.ts';
import { addFound } from '../../db/outbox.ts';
import type { Db } from '../../db/pool.ts';
import { settle } from '../../db/settle.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { test } from '../support/database.ts';
import {
  countOf,
  fetchedSettlement,
  grantedClaim,
  leaveOutbox,
  linkTo,
  oneHost,
  openHost,
  runningCrawl,
  urlLines,
} from './a-frontier.ts';
import { admitAll, EVERY_BAND, pullFeeds, queue } from './a-shard.ts';

describe('links that were left out', () => {
  test('are counted by rule; those of a trap by the host that showed them, too', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const hostId = await openHost(db, 'trap.test');
    await leaveOutbox(db, crawlId, { hostId, leftOut: { scope: 3, calendar: 2 } });
    await leaveOutbox(db, crawlId, { hostId, leftOut: { calendar: 5 } });
    await leaveOutbox(db, crawlId, { leftOut: { scope: 1 } });
    await admitAll(db, crawlId);
    await leaveOutbox(db, crawlId, { leftOut: { 'rule ext:pdf': 1, calendar: 1 } });
    await admitAll(db, crawlId);

    expect(await leftOutOf(db, crawlId)).toEqual({ scope: 4, calendar: 8, 'rule ext:pdf': 1 });
    expect(await leftOutOfHost(db, 'trap.test' as HostKey)).toEqual({ calendar: 7 });
    expect(await leftOutOfHost(db, 'other.test' as HostKey)).toEqual({});
  });

  test('go with the settle of their page, or with what else a page names', async ({ db }) => {
    const { crawlId, hostId } = await oneHost(db);
    const claimed = await grantedClaim(db, hostId);
    const settlement = fetchedSettlement(claimed);
    const { outbox } = settlement;
    const leftOut = { depth: 2 };
    await settle(db, claimed.lease, { ...settlement, outbox: outbox && { ...outbox, leftOut } });
    const target = { crawlId, foundOn: 'http://one.test/', settings: { shards: 1 } };
    await addFound(db, { ...target, leftOut: { scope: 7 } }, []);
    await addFound(db, { ...target, leftOut: { scope: 1 } }, [linkTo('http://one.test/2')]);
    await admitAll(db, crawlId);

    expect(await leftOutOf(db, crawlId)).toEqual({ depth: 2, scope: 8 });
    expect(await countOf(db, 'outbox')).toBe(0);
  });

  test('by a rule that came after they were found are counted as well', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await leaveOutbox(db, crawlId, {
      links: [linkTo('http://a.test/x'), linkTo('http://a.test/y')],
    });
    await changeExcludes(db, crawlId, { add: ['path:/x'], remove: [] });

    expect(await admitAll(db, crawlId)).toBe(1);
    expect(await leftOutOf(db, crawlId)).toEqual({ 'rule path:/x': 1 });
  });
});

describe('a limit of the queue of a host', () => {
  const links = (paths: readonly string[], band = 1) =>
    paths.map((path) => linkTo(`http://a.test/${path}`, { band }));

  test('lets in the most urgent first, then those found first, and counts the others', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { hostQueue: 3 });
    await leaveOutbox(db, crawlId, {
      links: [...links(['1', '2', '3', '4'], 2), ...links(['5']), linkTo('http://b.test/')],
    });

    expect(await admitAll(db, crawlId)).toBe(4);
    expect((await urlLines(db)).map(({ url }) => url)).toEqual([
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/5',
      'http://b.test/',
    ]);
    expect(await leftOutOf(db, crawlId)).toEqual({ hostQueue: 2 });
    expect(await leftOutOfHost(db, 'a.test' as HostKey, crawlId)).toEqual({ hostQueue: 2 });
    expect(await faultsOf(db)).toEqual([]);
  });

  test('counts what is queued, not what is assigned or done; what is known takes no room', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { hostQueue: 2 });
    await queue(db, crawlId, ['http://a.test/1', 'http://a.test/2']);
    await leaveOutbox(db, crawlId, { links: links(['1', '2', '3']) });
    expect(await admitAll(db, crawlId)).toBe(0);
    expect(await leftOutOf(db, crawlId)).toEqual({ hostQueue: 1 });

    await pullFeeds(db, crawlId, 1, EVERY_BAND);
    await leaveOutbox(db, crawlId, { links: links(['1', '2', '3', '4', '5']) });

    expect(await admitAll(db, crawlId)).toBe(2);
    expect(await leftOutOf(db, crawlId)).toEqual({ hostQueue: 2 });
    expect(await faultsOf(db)).toEqual([]);
  });
});

async function faultsOf(db: Db): Promise<readonly object[]> {
  return (await deepCheck(db)).checks.flatMap(({ examples }) => examples);
}
