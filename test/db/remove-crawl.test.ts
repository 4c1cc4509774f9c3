import { describe, expect } from 'vitest';
import { openCrawl, saveCrawl } from '../../db/crawls.ts';
import { beginRemoval, contentsOf, REMOVE_ROWS, removeCrawlRows } from '../../db/remove-crawl.ts';
import type { Db } from '../../db/pool.ts';
import { test } from '../support/database.ts';
import { crawlUnderWay } from './a-crawl-under-way.ts';
import {
  countOf,
  givenUrl,
  grantedClaim,
  openHost,
  runningCrawl,
  settingsOf,
} from './a-frontier.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';

const toTheEnd = (): boolean => true;

/** Stopped, as a crawl's workflow leaves it. */
async function stopped(db: Db, crawlId: number): Promise<void> {
  await db.query(
    `update crawl set state = 'stopped', end_reason = 'stopped', ended_at = now() where crawl_id = $1`,
    [crawlId],
  );
}

/** Rows that name a crawl, in every table that could. */
async function rowsOf(db: Db, crawlId: number): Promise<number> {
  const tables = ['crawl', 'shard', 'queued_count', 'outcome_count', 'host_crawl', 'url', 'ready'];
  const counts = [
    countOf(db, 'host where lease_crawl_id = $1', [crawlId]),
    ...[...tables, 'outbox', 'fetch_record'].map((table) =>
      countOf(db, `${table} where crawl_id = $1`, [crawlId]),
    ),
  ];
  return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
}

describe('a crawl that is removed', () => {
  test('leaves nothing of its own, and all that crawls share', async ({ db }) => {
    const { crawlId, heldHostId } = await crawlUnderWay(db);
    await stopped(db, crawlId);
    const shared = `select host_id, next_allowed_at, gap_ms, backoff_level, hold_who from host order by 1`;
    const before = [(await db.query(shared)).rows, await countOf(db, 'robots')];

    expect(await beginRemoval(db, crawlId)).toBe(true);
    expect(await removeCrawlRows(db, crawlId, toTheEnd)).toBe(true);

    expect(await rowsOf(db, crawlId)).toBe(0);
    expect([(await db.query(shared)).rows, await countOf(db, 'robots')]).toEqual(before);
    expect(await countOf(db, `host where host_id = $1 and hold_who = 'kim'`, [heldHostId])).toBe(1);
  });

  test('takes nothing from another that shares its hosts', async ({ db }) => {
    const { crawlId, hostId } = await crawlUnderWay(db);
    const other = await runningCrawl(db, {}, 'other');
    await givenUrl(db, { crawlId: other, hostId }, 'http://a.test/theirs');
    const before = await rowsOf(db, other);
    await stopped(db, crawlId);
    await beginRemoval(db, crawlId);
    await removeCrawlRows(db, crawlId, toTheEnd);

    expect(await rowsOf(db, other)).toBe(before);
    await db.query(`update host set next_allowed_at = 'epoch', lease_until = null`);
    expect((await grantedClaim(db, hostId)).url.crawlId).toBe(other);
  });

  test('leaves counts that a deep check finds nothing to say about', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    await stopped(db, crawlId);
    await beginRemoval(db, crawlId);
    await removeCrawlRows(db, crawlId, toTheEnd);
    const { checks, facts } = await deepCheck(db);
    expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
    expect(facts).toMatchObject({ pastLeases: 0, unservedUrls: 0 });
  });

  test('in many batches goes as well, hosts with many URLs and many hosts alike', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const large = await openHost(db, 'large.test');
    await db.query(
      `insert into host (host_key) select 'h' || n || '.test' from generate_series(1, 1200) n`,
    );
    await db.query(`insert into host_crawl (host_id, crawl_id) select host_id, $1 from host`, [
      crawlId,
    ]);
    await db.query(
      `insert into url (host_id, crawl_id, key_hash, request_url, band, depth, due_at)
       select host_id, $1, md5(host_key || n)::uuid, 'http://' || host_key || '/' || n, 1, 0, now()
         from host, generate_series(1, case when host_id = $2 then $3::int else 3 end) n`,
      [crawlId, large, REMOVE_ROWS * 2 + 7],
    );
    await stopped(db, crawlId);
    await beginRemoval(db, crawlId);
    const batches: number[] = [];
    expect(
      await removeCrawlRows(db, crawlId, (rows) => {
        batches.push(rows);
        return true;
      }),
    ).toBe(true);

    expect(await rowsOf(db, crawlId)).toBe(0);
    expect(batches.length).toBeGreaterThan(4);
    expect(await countOf(db, 'host')).toBe(1201);
  });
});

describe('a removal', () => {
  test('that ends early can be gone on with, and nothing else', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    await stopped(db, crawlId);
    await beginRemoval(db, crawlId);
    expect(await removeCrawlRows(db, crawlId, () => false)).toBe(false);

    expect(await openCrawl(db, 'test', true)).toBeUndefined();
    await expect(saveCrawl(db, 'test', settingsOf())).rejects.toThrow('being removed');
    expect(await beginRemoval(db, crawlId)).toBe(true);
    expect(await removeCrawlRows(db, crawlId, toTheEnd)).toBe(true);
    expect(await rowsOf(db, crawlId)).toBe(0);
    expect((await saveCrawl(db, 'test', settingsOf())).removingSince).toBeNull();
  });

  test('of a crawl that runs is not begun', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    const before = await rowsOf(db, crawlId);
    expect(await beginRemoval(db, crawlId)).toBe(false);
    expect(await openCrawl(db, 'test', true)).toBeDefined();
    expect(await rowsOf(db, crawlId)).toBe(before);
  });

  test('without a mark leaves the crawl itself alone', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await removeCrawlRows(db, crawlId, toTheEnd);
    expect(await countOf(db, 'crawl where crawl_id = $1', [crawlId])).toBe(1);
  });

  test('says beforehand how much it takes', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    const urls = await countOf(db, 'url where crawl_id = $1', [crawlId]);
    expect((await contentsOf(db, crawlId)).urls).toBe(urls);
  });
});
