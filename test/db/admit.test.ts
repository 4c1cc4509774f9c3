import { describe, expect } from 'vitest';
import { admit, ADMIT_ROWS } from '../../db/admit.ts';
import type { Db } from '../../db/pool.ts';
import { test } from '../support/database.ts';
import {
  countOf,
  everything,
  leaveOutbox,
  linkTo,
  pagesOf,
  readyLines,
  runningCrawl,
  urlLines,
} from './a-frontier.ts';
import { admitAll, queue } from './a-shard.ts';

describe('a URL enters the frontier once', () => {
  test('however often one batch names it', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const links = [linkTo('http://a.test/1'), linkTo('http://a.test/1'), linkTo('http://a.test/2')];
    await leaveOutbox(db, crawlId, { foundOn: 'http://a.test/', links });
    await leaveOutbox(db, crawlId, { links });

    expect(await admit(db, { crawlId, shard: 0 })).toMatchObject({ rows: 2, admitted: 2 });
    expect((await urlLines(db)).map(({ url }) => url)).toEqual([
      'http://a.test/1',
      'http://a.test/2',
    ]);
    expect(await countOf(db, 'outbox')).toBe(0);
  });

  test('whatever has become of it since', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/1']);
    for (const state of ['queued', 'assigned', 'done', 'dead', 'excluded']) {
      await db.query(`update url set state = $1::url_state`, [state]);
      await leaveOutbox(db, crawlId, { links: [linkTo('http://a.test/1', { band: 3 })] });

      expect(await admitAll(db, crawlId)).toBe(0);
      expect(await urlLines(db)).toMatchObject([{ state }]);
    }
  });

  test('for each crawl of its own', async ({ db }) => {
    const one = await runningCrawl(db, {}, 'one');
    const two = await runningCrawl(db, {}, 'two');
    await queue(db, one, ['http://a.test/']);
    await queue(db, two, ['http://a.test/']);

    expect(await countOf(db, 'url')).toBe(2);
    expect(await countOf(db, 'host')).toBe(1);
  });

  test('ten thousand of them, sent twice in another order', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    const urls = Array.from({ length: 10_000 }, (_, at) => `http://h${at % 97}.test/${at}`);
    await leaveInRows(db, crawlId, urls);
    expect(await admitAll(db, crawlId)).toBe(10_000);

    await leaveInRows(db, crawlId, shuffled(urls));
    expect(await admitAll(db, crawlId)).toBe(0);

    expect(await countOf(db, 'url')).toBe(10_000);
    expect(await countOf(db, 'shard where known = 10000')).toBe(1);
    expect(await countOf(db, 'queued_count where urls = 10000')).toBe(1);
  });

  test('with a key of four thousand characters, and one that differs in the last [DBS04]', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const long = `http://a.test/${Array.from({ length: 4_000 }, () => Math.floor(Math.random() * 36).toString(36)).join('')}`;
    await queue(db, crawlId, [long, `${long}!`, long]);

    expect(await countOf(db, 'url')).toBe(2);
  });
});

describe('one admit', () => {
  test('of two at once waits for the other: every row is taken once', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    for (let at = 0; at < 60; at += 1) {
      await leaveOutbox(db, crawlId, {
        outcome: 'fetched',
        settled: 1,
        bytes: 10,
        links: [linkTo(`http://h${at % 7}.test/${at}`)],
      });
    }

    const admits = await Promise.all(
      Array.from({ length: 4 }, () => admit(db, { crawlId, shard: 0 })),
    );

    expect(admits.reduce((sum, { rows }) => sum + rows, 0)).toBe(60);
    expect(admits.filter(({ rows }) => rows > 0)).toHaveLength(1);
    expect(
      await countOf(db, `outcome_count where outcome = 'fetched' and fetches = 60 and bytes = 600`),
    ).toBe(1);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: 60 });
  });

  test('of two crawls with the same links in another order never lock each other out [DBS07]', async ({
    db,
  }) => {
    const crawls = [await runningCrawl(db, {}, 'one'), await runningCrawl(db, {}, 'two')];
    const urls = Array.from({ length: 200 }, (_, at) => `http://h${at}.test/`);

    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        crawls.map((crawlId, at) =>
          leaveOutbox(db, crawlId, {
            links: (at === 0 ? urls : urls.toReversed()).map((url) => linkTo(`${url}${round}`)),
          }),
        ),
      );
      await Promise.all(crawls.map((crawlId) => admit(db, { crawlId, shard: 0 })));
    }

    expect(await countOf(db, 'host')).toBe(200);
    expect(await countOf(db, 'url')).toBe(2 * 200 * 20);
  });

  test('takes no more rows than its share, the oldest first', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await db.query(
      `insert into outbox (crawl_id, outcome, found_on) select $1, 'fetched', n::text from generate_series(1, $2) n`,
      [crawlId, ADMIT_ROWS + 3],
    );

    expect(await admit(db, { crawlId, shard: 0 })).toMatchObject({ rows: ADMIT_ROWS, admitted: 0 });

    const { rows } = await db.query(`select found_on from outbox order by outbox_id`);
    expect(rows.map((row: { found_on: string }) => Number(row.found_on))).toEqual([201, 202, 203]);
  });

  test('of another crawl leaves this one alone', async ({ db }) => {
    const one = await runningCrawl(db, {}, 'one');
    const two = await runningCrawl(db, {}, 'two');
    await leaveOutbox(db, one, { outcome: 'fetched', links: [linkTo('http://a.test/')] });
    const before = await everything(db);

    expect(await admit(db, { crawlId: two, shard: 0 })).toMatchObject({ rows: 0, admitted: 0 });
    expect(await everything(db)).toBe(before);
  });

  test('of a crawl that was removed is an error, not a crawl', async ({ db }) => {
    await expect(admit(db, { crawlId: 4_711, shard: 0 })).rejects.toThrow('has no shard');
  });

  test('that fails leaves the outbox as it was', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await leaveOutbox(db, crawlId, { outcome: 'fetched', settled: 1 });
    await leaveOutbox(db, crawlId, { links: [linkTo('http://a.test/', { band: 99 })] });
    const before = await everything(db);

    await expect(admit(db, { crawlId, shard: 0 })).rejects.toThrow();
    expect(await everything(db)).toBe(before);
  });

  test('gives back what was reserved, never below nothing', async ({ db }) => {
    const crawlId = await runningCrawl(db, { pageBudget: 10 });
    await db.query(`update crawl set pages_reserved = 2`);
    await leaveOutbox(db, crawlId, { outcome: 'fetched', settled: 1, released: 1 });
    await admitAll(db, crawlId);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 1, settled: 1 });

    await leaveOutbox(db, crawlId, { outcome: 'put off', released: 1 });
    await leaveOutbox(db, crawlId, { outcome: 'put off', released: 1 });
    await admitAll(db, crawlId);
    expect(await pagesOf(db, crawlId)).toEqual({ reserved: 0, settled: 1 });
  });

  test('counts outcomes by kind, and no outcome where there was none', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    for (const outcome of ['fetched', 'fetched', 'failed', null])
      await leaveOutbox(db, crawlId, { outcome, bytes: 2 ** 33 });
    await admitAll(db, crawlId);

    const { rows } = await db.query(
      `select outcome, fetches, bytes from outcome_count order by outcome`,
    );
    expect(rows).toEqual([
      { outcome: 'failed', fetches: 1, bytes: 2 ** 33 },
      { outcome: 'fetched', fetches: 2, bytes: 2 ** 34 },
    ]);
  });
});

describe('the front queues after an admit', () => {
  test('show each band of a host that has queued URLs, and no other', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/1'], { band: 1 });
    await queue(db, crawlId, ['http://a.test/2', 'http://b.test/2'], { band: 2 });
    expect(await readyLines(db)).toEqual([
      { host: 'a.test', band: 1, standing: 'idle' },
      { host: 'a.test', band: 2, standing: 'idle' },
      { host: 'b.test', band: 2, standing: 'idle' },
    ]);

    await db.query(`update url set state = 'done' where band = 2`);
    await touch(db, crawlId, 'a.test');
    expect(await readyLines(db)).toEqual([
      { host: 'a.test', band: 1, standing: 'idle' },
      { host: 'b.test', band: 2, standing: 'idle' },
    ]);
  });

  test.for([
    { law: 'a live host is live', change: `state = 'live'`, standing: 'live' },
    { law: 'a resting one is idle', change: `state = 'resting'`, standing: 'idle' },
    { law: 'a held one is blocked', change: `hold_since = now()`, standing: 'blocked' },
    {
      law: 'a hold that has passed blocks nothing',
      change: `hold_since = now(), hold_until = now() - interval '1 s'`,
      standing: 'idle',
    },
    {
      law: 'one that asked for rest is blocked',
      change: `blocked_until = now() + interval '1 hour'`,
      standing: 'blocked',
    },
    {
      law: 'a rest that has passed blocks nothing',
      change: `blocked_until = now() - interval '1 s'`,
      standing: 'idle',
    },
  ])('$law', async ({ change, standing }, { db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/']);
    await db.query(`update host set ${change}`);
    await touch(db, crawlId, 'a.test');

    expect(await readyLines(db)).toEqual([{ host: 'a.test', band: 1, standing }]);
  });

  test('are full above the low water of due assigned URLs; retries to come do not count', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { lowWater: 2 });
    await queue(
      db,
      crawlId,
      [1, 2, 3, 4].map((at) => `http://a.test/${at}`),
    );
    await db.query(`update url set state = 'assigned' where request_url <> 'http://a.test/4'`);
    await touch(db, crawlId, 'a.test');
    expect(await readyLines(db)).toMatchObject([{ standing: 'full' }]);

    await db.query(
      `update url set due_at = now() + interval '1 hour' where request_url = 'http://a.test/1'`,
    );
    await touch(db, crawlId, 'a.test');
    expect(await readyLines(db)).toMatchObject([{ standing: 'idle' }]);
  });

  test('a block that runs out by itself is noticed without being told', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/']);
    await db.query(`update host set blocked_until = now() + interval '1 hour'`);
    await touch(db, crawlId, 'a.test');
    expect(await readyLines(db)).toMatchObject([{ standing: 'blocked' }]);

    await db.query(`update host set blocked_until = now()`);
    await db.query(`update ready set until_at = now()`);
    await admitAll(db, crawlId);
    expect(await readyLines(db)).toMatchObject([{ standing: 'idle' }]);
  });
});

async function touch(db: Db, crawlId: number, hostKey: string): Promise<void> {
  const { rows } = await db.query<{ hostId: number }>(
    `select host_id as "hostId" from host where host_key = $1`,
    [hostKey],
  );
  for (const { hostId } of rows) await leaveOutbox(db, crawlId, { hostId });
  await admitAll(db, crawlId);
}

async function leaveInRows(db: Db, crawlId: number, urls: readonly string[]): Promise<void> {
  for (let at = 0; at < urls.length; at += 500) {
    await leaveOutbox(db, crawlId, { links: urls.slice(at, at + 500).map((url) => linkTo(url)) });
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
