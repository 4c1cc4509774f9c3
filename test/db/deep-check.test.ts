import { describe, expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { requeueAssigned } from '../../db/crawl-end.ts';
import { endCrawl } from '../../db/crawls.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import type { Db } from '../../db/pool.ts';
import { beginRemoval, removeCrawlRows } from '../../db/remove-crawl.ts';
import { test } from '../support/database.ts';
import { crawlUnderWay } from './a-crawl-under-way.ts';
import { leaveOutbox, linkTo, runningCrawl } from './a-frontier.ts';
import { pullFeeds } from './a-shard.ts';

const CHECKS = [
  'URL states',
  'URLs known',
  'URLs queued',
  'fetch records',
  'front queues',
  'holds',
  'hosts of URLs',
  'leases',
  'outcomes',
  'pages',
  'pages of hosts',
  'pages reserved',
  'standings',
];

describe('what crawls write adds up at every step', () => {
  test('with pages in the outbox, after they were counted, and after all was given back', async ({
    db,
  }) => {
    const { crawlId } = await crawlUnderWay(db);
    expect(await faultsOf(db)).toEqual([]);

    await admit(db, { crawlId, shard: 0 });
    expect(await faultsOf(db)).toEqual([]);

    await pullFeeds(db, crawlId, 2);
    expect(await faultsOf(db)).toEqual([]);

    await requeueAssigned(db, { crawlId, shard: 0 });
    expect(await faultsOf(db)).toEqual([]);
  });

  test('every check is made, and says how many rows it compared', async ({ db }) => {
    await crawlUnderWay(db);

    const { checks, facts } = await deepCheck(db);

    expect(checks.map(({ name }) => name).sort()).toEqual([...CHECKS].sort());
    expect(checks.filter(({ compared }) => compared === 0)).toEqual([]);
    expect(facts).toMatchObject({ heldHosts: 1, pastLeases: 0 });
  });

  test('and so it does of a crawl that is being removed, whatever is left of it', async ({
    db,
  }) => {
    const { crawlId } = await crawlUnderWay(db);
    await db.query(`update crawl set state = 'stopped', end_reason = 'stopped'`);
    await db.query(
      `update fetch_record set warc_file = 'gone.warc.gz', warc_offset = 0, warc_length = 9`,
    );
    await beginRemoval(db, crawlId);
    let steps = 0;
    do {
      expect(await faultsOf(db)).toEqual([]);
      const { crawls, files } = await deepCheck(db);
      expect(crawls).toEqual([{ crawl: 'test', isHalfRemoved: true, waitingLinks: 0 }]);
      expect(files).toEqual([]);
      steps += 1;
    } while (!(await removeCrawlRows(db, crawlId, () => false)));
    expect(steps).toBeGreaterThan(2);
    expect((await deepCheck(db)).crawls).toEqual([]);
  });

  test('a crawl beside one that is being removed is compared all the same', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    await db.query(`update crawl set state = 'stopped', end_reason = 'stopped'`);
    await runningCrawl(db, {}, 'other');
    await beginRemoval(db, crawlId);
    await db.query('update shard set known = 7');

    expect(await faultsOf(db)).toEqual([
      'URLs known: crawl "other": URLs known: expected 0, found 7',
    ]);
  });

  test('seeds that wait for an ended crawl to go on are a fact and no fault', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await leaveOutbox(db, crawlId, { links: [linkTo('http://a.test/'), linkTo('http://b.test/')] });
    expect((await deepCheck(db)).crawls).toMatchObject([{ crawl: 'test', waitingLinks: 0 }]);

    await endCrawl(db, crawlId, 'finished');

    expect(await faultsOf(db)).toEqual([]);
    expect((await deepCheck(db)).crawls).toEqual([
      { crawl: 'test', isHalfRemoved: false, waitingLinks: 2 },
    ]);
  });

  test('an empty database has nothing that differs', async ({ db }) => {
    expect(await faultsOf(db)).toEqual([]);
  });
});

describe('what differs is named, with what was expected and what was found', () => {
  const BREAKS: readonly (readonly [name: string, breaking: string, told: string | RegExp])[] = [
    ['URLs known', 'update shard set known = known + 1', 'expected 30, found 31'],
    [
      'URLs queued',
      'update queued_count set urls = urls - 1 where band = 2',
      /band 2: expected \d+, found -?\d+/,
    ],
    ['outcomes', 'update outcome_count set fetches = 7', '"fetched" counted: expected 2, found 8'],
    ['outcomes', 'update outcome_count set bytes = 0', 'bytes of "fetched": expected 200'],
    ['pages', 'update crawl set pages_settled = 5', 'pages settled: expected 2, found 6'],
    [
      'pages of hosts',
      `update host_crawl set pages = 0 where host_id in (select host_id from host where host_key = 'a.test')`,
      'host a.test: expected 2 pages, found 0 pages',
    ],
    [
      'pages reserved',
      'update crawl set pages_reserved = 0',
      /pages reserved: expected \d+, found 0/,
    ],
    [
      'URL states',
      `update url set reserved = true where state = 'queued'`,
      'reserved or claimed, though not assigned: expected 0',
    ],
    [
      'URL states',
      `update url set state = 'excluded' where state = 'queued' and band = 1`,
      'dead or excluded without a reason: expected 0',
    ],
    [
      'URL states',
      `update crawl set state = 'finished', end_reason = 'finished'`,
      'queued or assigned, though the crawl is finished: expected 0',
    ],
    [
      'front queues',
      'delete from ready',
      /host [abc].+test: expected \d+ queued, due .+, found no row/,
    ],
    [
      'front queues',
      `update ready set due_at = due_at + interval '1 hour'`,
      /expected \d+ queued, due .+, found \d+ queued, due/,
    ],
    [
      'front queues',
      `update ready set urls = urls + 1000`,
      /expected \d+ queued, due .+, found 10\d\d queued, due/,
    ],
    [
      'front queues',
      `insert into ready (crawl_id, band, host_id, due_at, turn_at, standing)
       select crawl_id, 8, host_id, now(), now(), 'idle' from host_crawl limit 1`,
      'expected no row, as nothing is queued, found 0 queued, due',
    ],
    [
      'standings',
      `update ready set standing = 'idle' where host_id in (select host_id from host where hold_since is not null)`,
      'host held.test: expected blocked, found idle',
    ],
    [
      'standings',
      `update host set hold_who = null, hold_why = null, hold_since = null`,
      'host held.test: expected idle, found blocked',
    ],
    [
      'standings',
      `update ready set standing = 'full' where standing = 'idle'`,
      'host c.test: expected idle, found full',
    ],
    [
      'standings',
      `update ready set standing = 'live' where standing = 'idle'`,
      'host c.test: expected idle, found live',
    ],
    [
      'hosts of URLs',
      `delete from host_crawl where host_id in (select host_id from host where host_key = 'c.test')`,
      /of host c.test in crawl "test".*found the host has no part in the crawl/,
    ],
    [
      'hosts of URLs',
      `insert into url (host_id, crawl_id, key_hash, request_url, band, depth, due_at)
       select 999, crawl_id, md5('x')::uuid, 'http://x.test/', 1, 0, now() from crawl`,
      'host 999 in crawl "test": expected a host, a crawl, and the host\'s part in it, found no such host',
    ],
    [
      'hosts of URLs',
      `insert into url (host_id, crawl_id, key_hash, request_url, band, depth, due_at)
       select host_id, 999, md5('x')::uuid, 'http://x.test/', 1, 0, now() from host limit 1`,
      "in crawl 999: expected a host, a crawl, and the host's part in it, found no such crawl",
    ],
    [
      'fetch records',
      `delete from url where state = 'done'`,
      'expected a URL, found a fetch record without one',
    ],
    ['fetch records', 'delete from fetch_record', 'expected a fetch record, found done without'],
    ['leases', 'update host set lease_token = null', 'expected a token and an end within a minute'],
    ['leases', `update host set lease_until = lease_until + interval '1 day'`, 'host a.test'],
    ['holds', 'update host set hold_who = null', 'expected who, why and since, or none of them'],
  ];

  for (const [name, breaking, told] of BREAKS) {
    test(`${name}: ${breaking.replace(/\s+/g, ' ')}`, async ({ db }) => {
      await crawlUnderWay(db);

      await db.query(breaking);

      const ofThisCheck = (await faultsOf(db)).filter((line) => line.startsWith(`${name}: `));
      expect(ofThisCheck.join('\n')).toMatch(told);
    });
  }

  test('a crawl that runs on during the look changes nothing of it', async ({ db }) => {
    const { crawlId } = await crawlUnderWay(db);
    const over = new AbortController();
    const running = (async () => {
      for (let batch = 2; !over.signal.aborted; batch += 1) {
        await admit(db, { crawlId, shard: 0 });
        await pullFeeds(db, crawlId, batch);
        await requeueAssigned(db, { crawlId, shard: 0 });
      }
    })();

    for (let looks = 0; looks < 20; looks += 1) expect(await faultsOf(db)).toEqual([]);

    over.abort();
    await running;
  });
});

async function faultsOf(db: Db): Promise<readonly string[]> {
  const { checks } = await deepCheck(db);
  return checks.flatMap(({ name, examples }) =>
    examples.map(
      ({ what, expected, found }) => `${name}: ${what}: expected ${expected}, found ${found}`,
    ),
  );
}
