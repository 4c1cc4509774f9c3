import { expect, onTestFinished } from 'vitest';
import { admit } from '../../db/admit.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import { doChore } from '../../db/do-chore.ts';
import { changeExcludes } from '../../db/excludes.ts';
import { migrate } from '../../db/migrate.ts';
import { connectDatabase, type Db } from '../../db/pool.ts';
import { pullBatch } from '../../db/pull.ts';
import { test } from '../support/database.ts';
import { EVERY_BAND } from './a-shard.ts';
import { databaseBefore } from './an-empty-database.ts';

test('front queues: pages that links were found on are kept once, and what is queued goes on', async () => {
  const before = await databaseBefore('0008');
  await filledBefore0008(before.db);

  await migrate(before.url);

  const db = connected(before.url);
  expect(
    await rowsOf(
      db,
      `select u.request_url as url, s.url as "foundOn"
         from url u
         left join source s using (source_id)
        order by 1`,
    ),
  ).toEqual([
    { url: 'http://a.test/', foundOn: null },
    { url: 'http://a.test/1', foundOn: 'http://a.test/' },
    { url: 'http://a.test/2', foundOn: 'http://a.test/' },
    { url: 'http://b.test/', foundOn: 'http://a.test/1' },
  ]);
  expect(await rowsOf(db, 'select count(*)::int as n from source')).toEqual([{ n: 2 }]);
  expect(
    await rowsOf(
      db,
      `select host_key as host, band, urls::int, turn_at = due_at as "inTurn", session_from::int as "since"
         from ready join host using (host_id) join host_crawl using (host_id, crawl_id)
        order by 1`,
    ),
  ).toEqual([
    { host: 'a.test', band: 1, urls: 2, inTurn: true, since: 1 },
    { host: 'b.test', band: 2, urls: 1, inTurn: true, since: null },
  ]);
  expect((await deepCheck(db)).checks.flatMap(({ examples }) => examples)).toEqual([]);
  const pulled = await pullBatch(db, { crawlId: 1, shard: 0 }, 1, EVERY_BAND);
  expect(pulled).toMatchObject({ kind: 'pulled', feeds: [{ count: 2 }, { count: 1 }] });
});

/** A crawl with two hosts: one is live and has had a page, the other waits. */
async function filledBefore0008(db: Db): Promise<void> {
  await db.query(`
    insert into crawl (name, settings, state) values ('old', '{"liveHostCap": 10, "room": 50, "lowWater": 5}', 'running');
    insert into shard (crawl_id, shard, known) values (1, 0, 4);
    insert into queued_count (crawl_id, shard, band, urls) values (1, 0, 1, 2), (1, 0, 2, 1);
    insert into host (host_key, state) values ('a.test', 'live'), ('b.test', 'idle');
    insert into host_crawl (host_id, crawl_id, pages) values (1, 1, 1), (2, 1, 0);
    insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at, found_on)
    values (1, 1, md5('http://a.test/')::uuid, 'http://a.test/', 'done', 1, 0, now(), null),
           (1, 1, md5('http://a.test/1')::uuid, 'http://a.test/1', 'queued', 1, 1, '2026-01-01', 'http://a.test/'),
           (1, 1, md5('http://a.test/2')::uuid, 'http://a.test/2', 'queued', 1, 1, '2026-01-02', 'http://a.test/'),
           (2, 1, md5('http://b.test/')::uuid, 'http://b.test/', 'queued', 2, 2, '2026-01-03', 'http://a.test/1');
    insert into fetch_record (crawl_id, host_id, key_hash, request_url, fetched_at, fetch_ms, status, outcome)
    values (1, 1, md5('http://a.test/')::uuid, 'http://a.test/', now(), 1, 200, 'fetched');
    insert into outcome_count (crawl_id, outcome, fetches, bytes) values (1, 'fetched', 1, 0);
    update crawl set pages_settled = 1;
    insert into ready (crawl_id, band, host_id, due_at, standing)
    values (1, 1, 1, '2026-01-01', 'live'), (1, 2, 2, '2026-01-03', 'idle')`);
}

test('validators: what was fetched before is asked for without them', async () => {
  const before = await databaseBefore('0009');
  await before.db.query(`
    insert into crawl (name, settings, state) values ('old', '{}', 'running');
    insert into host (host_key) values ('a.test');
    insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
    values (1, 1, md5('http://a.test/')::uuid, 'http://a.test/', 'done', 1, 0, now());
    insert into robots (host_id, origin, access, version, status)
    values (1, 'http://a.test', 'rules', 1, 200)`);

  await migrate(before.url);

  const db = connected(before.url);
  expect(await rowsOf(db, 'select request_url as url, last_answer as last from url')).toEqual([
    { url: 'http://a.test/', last: null },
  ]);
  expect(await rowsOf(db, 'select version::int, validators from robots')).toEqual([
    { version: 1, validators: null },
  ]);
});

test('what puts URLs into bands: those known before have no priority of a sitemap', async () => {
  const before = await databaseBefore('0010');
  await before.db.query(`
    insert into crawl (name, settings, state) values ('old', '{}', 'running');
    insert into host (host_key) values ('a.test');
    insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
    values (1, 1, md5('http://a.test/')::uuid, 'http://a.test/', 'queued', 2, 1, now())`);

  await migrate(before.url);

  const db = connected(before.url);
  expect(await rowsOf(db, 'select band, sitemap_priority as priority from url')).toEqual([
    { band: 2, priority: null },
  ]);
  expect(await rowsOf(db, 'select * from prioritizer_fault')).toEqual([]);
});

test('chores: what is queued is excluded by a rule that comes after', async () => {
  const before = await databaseBefore('0011');
  await before.db.query(`
    insert into crawl (name, settings, state) values ('old', '{"lowWater": 5, "userAgent": "Bot"}', 'running');
    insert into shard (crawl_id, shard, known) values (1, 0, 2);
    insert into queued_count (crawl_id, shard, band, urls) values (1, 0, 1, 2);
    insert into host (host_key) values ('a.test');
    insert into host_crawl (host_id, crawl_id) values (1, 1);
    insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
    values (1, 1, md5('http://a.test/')::uuid, 'http://a.test/', 'queued', 1, 0, '2026-01-01'),
           (1, 1, md5('http://a.test/1')::uuid, 'http://a.test/1', 'queued', 1, 1, '2026-01-02');
    insert into ready (crawl_id, shard, band, host_id, due_at, turn_at, standing, urls)
    values (1, 0, 1, 1, '2026-01-01', '2026-01-01', 'idle', 2)`);

  await migrate(before.url);

  const db = connected(before.url);
  await changeExcludes(db, 1, { add: ['path:/1'], remove: [] });
  while (await doChore(db, { crawlId: 1, shard: 0 }));
  expect(await rowsOf(db, 'select request_url as url, state, reason from url order by 1')).toEqual([
    { url: 'http://a.test/', state: 'queued', reason: null },
    { url: 'http://a.test/1', state: 'excluded', reason: 'excluded by rule path:/1' },
  ]);
  expect((await deepCheck(db)).checks.flatMap(({ examples }) => examples)).toEqual([]);
});

test('host policy: hosts that were asked before have had nothing today, and nothing leaves them alone', async () => {
  const before = await databaseBefore('0012');
  await before.db.query(`
    insert into crawl (name, settings, state) values ('old', '{}', 'running');
    insert into host (host_key, next_allowed_at) values ('a.test', now());
    insert into host_crawl (host_id, crawl_id, pages) values (1, 1, 7)`);

  await migrate(before.url);

  const db = connected(before.url);
  expect(
    await rowsOf(
      db,
      'select asked, asked_since as since, host_crawl.blocked_until as until, pages::int from host join host_crawl using (host_id)',
    ),
  ).toEqual([{ asked: 0, since: null, until: null, pages: 7 }]);
});

test('left out: what a page left before it is taken in as it was', async () => {
  const before = await databaseBefore('0014');
  await before.db.query(`
    insert into crawl (name, settings, state)
    values ('old', '{"lowWater": 5, "liveHostCap": 1, "userAgent": "Bot"}', 'running');
    insert into shard (crawl_id, shard) values (1, 0);
    insert into outbox (crawl_id, outcome, links) values (1, 'fetched', '[{"url": "http://a.test/", "key": "http://a.test/",
      "host": "a.test", "depth": 0, "hops": 0, "band": 1}]')`);

  await migrate(before.url);

  const db = connected(before.url);
  expect(await admit(db, { crawlId: 1, shard: 0 })).toMatchObject({ rows: 1, admitted: 1 });
  expect(await rowsOf(db, 'select * from left_out')).toEqual([]);
});

function connected(url: string): Db {
  const db = connectDatabase(url);
  onTestFinished(() => db.end());
  return db;
}

async function rowsOf(db: Db, statement: string): Promise<readonly object[]> {
  return (await db.query<object>(statement)).rows;
}
