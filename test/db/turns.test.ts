import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import type { Db } from '../../db/pool.ts';
import { PULL_HOSTS, PULL_URLS_A_HOST } from '../../db/pull.ts';
import { test } from '../support/database.ts';
import { countOf, runningCrawl } from './a-frontier.ts';
import { admitAll, pullFeeds, queue } from './a-shard.ts';

/** Queued URLs of hosts `h1.test` and so on, with their front queues. */
async function givenHosts(db: Db, crawlId: number, hosts: number, urls: number): Promise<void> {
  await db.query(
    `insert into host (host_key) select 'h' || n || '.test' from generate_series(1, $1) n`,
    [hosts],
  );
  await db.query(`insert into host_crawl (host_id, crawl_id) select host_id, $1 from host`, [
    crawlId,
  ]);
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, band, depth, due_at)
     select h.host_id, $1, md5(h.host_key || n)::uuid, 'http://' || h.host_key || '/' || n, 1, 1,
            now() - interval '1 hour'
       from host h, generate_series(1, $2) n`,
    [crawlId, urls],
  );
  await db.query(
    `insert into ready (crawl_id, band, host_id, due_at, turn_at, standing, urls)
     select $1, 1, host_id, now() - interval '1 hour', now() - interval '1 hour', 'idle', $2 from host`,
    [crawlId, urls],
  );
  await db.query('analyze');
}

/** Serves all that is assigned, at once; hosts whose turn is over end. */
async function serve(db: Db, crawlId: number, sessionPages: number): Promise<void> {
  await db.query(
    `with done as (
       update url set state = 'done' where crawl_id = $1 and state = 'assigned' returning host_id
     ), counted as (
       select host_id, count(*) as pages from done group by host_id
     ), paged as (
       update host_crawl hc
          set pages = hc.pages + counted.pages
         from counted
        where hc.host_id = counted.host_id
          and hc.crawl_id = $1
       returning hc.host_id, hc.pages - hc.session_from >= $2 as is_over
     ), stated as (
       update host
          set state = case when is_over then 'idle' else 'live' end
         from paged
        where host.host_id = paged.host_id
     )
     insert into outbox (crawl_id, host_id) select $1, host_id from paged`,
    [crawlId, sessionPages],
  );
  await admitAll(db, crawlId);
}

test('each of ten thousand hosts has its turn within one round of turns, with five hundred live', async ({
  db,
}) => {
  const [hosts, cap, sessionPages] = [10_000, 500, 20];
  const crawlId = await runningCrawl(db, { liveHostCap: cap, sessionPages });
  await givenHosts(db, crawlId, hosts, 2 * sessionPages);
  // A turn takes so many pulls, each of so many hosts; nobody has a second turn before all have had their first.
  const bound = (hosts / PULL_HOSTS) * Math.ceil(sessionPages / PULL_URLS_A_HOST);

  for (let pull = 1; pull <= bound; pull += 1) {
    await pullFeeds(db, crawlId, pull);
    expect(await countOf(db, 'host_crawl where session_from is not null')).toBeLessThanOrEqual(cap);
    await serve(db, crawlId, sessionPages);
  }

  expect(await countOf(db, 'host_crawl where pages = 0')).toBe(0);
  expect(await countOf(db, 'host_crawl where pages > $1', [sessionPages])).toBe(0);
});

test('a host with nine of ten URLs takes no place from the others in the first pull', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  const big = Array.from({ length: 900 }, (_, at) => `http://big.test/${at}`);
  const small = Array.from({ length: PULL_HOSTS - 1 }, (_, at) => `http://small${at}.test/`);
  await queue(db, crawlId, [...big, ...small]);

  const feeds = await pullFeeds(db, crawlId, 1);

  expect(feeds).toHaveLength(PULL_HOSTS);
  expect(feeds.find(({ hostKey }) => hostKey === 'big.test')?.count).toBe(PULL_URLS_A_HOST);
  await admit(db, { crawlId, shard: 0 });
  expect(await pullFeeds(db, crawlId, 2)).toEqual([
    expect.objectContaining({ hostKey: 'big.test' }),
  ]);
});
