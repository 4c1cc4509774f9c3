import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { exportFetches, type ExportedFetch, type ExportOrder } from '../../db/export.ts';
import { settle } from '../../db/settle.ts';
import type { Db } from '../../db/pool.ts';
import { test } from '../support/database.ts';
import {
  fetchedSettlement,
  first,
  givenUrl,
  grantedClaim,
  openHost,
  runningCrawl,
  settingsOf,
} from './a-frontier.ts';

async function exported(
  db: Db,
  order: Partial<ExportOrder> & { readonly crawlId: number },
): Promise<ExportedFetch[]> {
  const all: ExportedFetch[] = [];
  await exportFetches(
    db,
    { rules: settingsOf(), robots: false, since: undefined, ...order },
    (batch) => {
      all.push(...batch);
      return Promise.resolve(true);
    },
  );
  return all;
}

/** Pages of one host, each fetched; past the visits. */
async function fetched(db: Db, crawlId: number, pages: number): Promise<void> {
  const hostId = await openHost(db, 'many.test');
  await db.query(
    `insert into fetch_record (crawl_id, host_id, key_hash, request_url, fetched_at, fetch_ms, status, outcome)
     select $1, $2, md5('http://many.test/' || n)::uuid, 'http://many.test/' || n, now(), 1, 200, 'fetched'
       from generate_series(1, $3) n`,
    [crawlId, hostId, pages],
  );
}

test('a fetch is exported with its URL’s place in the crawl', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const hostId = await openHost(db, 'a.test');
  await givenUrl(db, { crawlId, hostId }, 'http://a.test/x', { foundOn: 'http://a.test/' });
  await db.query(`update url set depth = 3`);
  const claimed = await grantedClaim(db, hostId);
  await settle(db, claimed.lease, fetchedSettlement(claimed));

  const fetch = first(await exported(db, { crawlId }));

  expect(fetch).toMatchObject({
    url: 'http://a.test/x',
    key: 'http://a.test/x',
    kind: 'page',
    status: 200,
    outcome: 'fetched',
    digest: 'sha1:X',
    depth: 3,
    foundOn: 'http://a.test/',
    title: 'A page',
    bodyBytes: 100,
    warcFile: null,
  });
  expect(new Date(fetch.fetchedAt).toISOString()).toBe(fetch.fetchedAt);
});

test('the key is the one by which the frontier knows the URL', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const hostId = await openHost(db, 'a.test');
  await givenUrl(db, { crawlId, hostId }, 'http://a.test/?b=1&a=%7e');
  const key = 'http://a.test/?a=~&b=1';
  await db.query(`update url set key_hash = md5($1)::uuid`, [key]);
  const claimed = await grantedClaim(db, hostId);
  await settle(db, claimed.lease, fetchedSettlement(claimed));

  const fetch = first(await exported(db, { crawlId }));

  expect(fetch.key).toBe(key);
  const { rows } = await db.query<{ hash: string }>(`select key_hash as hash from fetch_record`);
  const md5 = createHash('md5')
    .update(fetch.key ?? '')
    .digest('hex');
  expect(first(rows).hash.replaceAll('-', '')).toBe(md5);
});

test('robots.txt is left out, or marked as such', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await fetched(db, crawlId, 1);
  await db.query(
    `insert into fetch_record (crawl_id, host_id, request_url, fetched_at, fetch_ms, status, outcome)
     select $1, host_id, 'http://many.test/robots.txt', now(), 1, 200, 'robots fetched' from host`,
    [crawlId],
  );

  expect((await exported(db, { crawlId })).map(({ kind }) => kind)).toEqual(['page']);
  const all = await exported(db, { crawlId, robots: true });
  expect(all.map(({ kind, key, depth }) => ({ kind, key, depth }))).toEqual([
    { kind: 'page', key: 'http://many.test/1', depth: null },
    { kind: 'robots', key: null, depth: null },
  ]);
});

test('a crawl’s own fetches only, since an instant, in their order', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await fetched(db, crawlId, 3);
  const other = await runningCrawl(db, {}, 'other');
  await fetched(db, other, 2);
  await db.query(
    `update fetch_record set fetched_at = now() - interval '2 hours' where request_url like '%/2'`,
  );

  const since = new Date(Date.now() - 3_600_000);
  const urls = (await exported(db, { crawlId, since })).map(({ url }) => url);

  expect(urls).toEqual(['http://many.test/1', 'http://many.test/3']);
});

test('what is fetched meanwhile is left out, and nothing waits for the reader', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await fetched(db, crawlId, 2_500);
  const sizes: number[] = [];

  await exportFetches(
    db,
    { crawlId, rules: settingsOf(), robots: false, since: undefined },
    async (batch) => {
      sizes.push(batch.length);
      await fetched(db, crawlId, 10);
      return true;
    },
  );

  expect(sizes).toEqual([1_000, 1_000, 500]);
  expect(await exported(db, { crawlId })).toHaveLength(2_530);
});

test('a reader that has enough is given no more', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await fetched(db, crawlId, 2_500);
  let batches = 0;

  await exportFetches(db, { crawlId, rules: settingsOf(), robots: false, since: undefined }, () => {
    batches += 1;
    return Promise.resolve(false);
  });

  expect(batches).toBe(1);
  expect(await exported(db, { crawlId })).toHaveLength(2_500);
});

test('the join neither hashes, sorts nor scans a table: the first record comes at once', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  await fetched(db, crawlId, 20_000);
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, band, depth, due_at)
     select host_id, crawl_id, key_hash, request_url, 1, 1, now() from fetch_record`,
  );
  await db.query('vacuum analyze');

  const plan = await planOf(db, crawlId);

  expect(plan).toContain('Index Scan using fetch_record_pkey');
  expect(plan).not.toMatch(/Seq Scan|Sort|Hash|Materialize/);
});

/** The plan of the statement that the export declares, explained in its own transaction. */
async function planOf(db: Db, crawlId: number): Promise<string> {
  const plans: string[] = [];
  const spy = (client: { query: unknown }): void => {
    const original = client.query as (...given: unknown[]) => Promise<{ rows: Line[] }>;
    client.query = async (...given: unknown[]) => {
      const [text, values] = given;
      if (typeof text === 'string' && text.includes('declare fetches')) {
        const { rows } = await original.call(client, `explain ${text}`, values);
        plans.push(...rows.map((row) => row['QUERY PLAN']));
      }
      return original.apply(client, given);
    };
    db.once('release', () => {
      client.query = original;
    });
  };
  db.once('acquire', spy);
  await exported(db, { crawlId });
  return plans.join('\n');
}

interface Line {
  readonly 'QUERY PLAN': string;
}
