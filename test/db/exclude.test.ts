import { describe, expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { choresOf } from '../../db/chores.ts';
import { findCrawl, openCrawl, saveCrawl } from '../../db/crawls.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import { doChore } from '../../db/do-chore.ts';
import { changeExcludes } from '../../db/excludes.ts';
import { explainUrl } from '../../db/explain.ts';
import type { Db } from '../../db/pool.ts';
import { CHORE_URLS } from '../../db/queued-batch.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { test } from '../support/database.ts';
import { countOf, leaveOutbox, linkTo, runningCrawl, settingsOf, urlLines } from './a-frontier.ts';
import { admitAll, EVERY_BAND, pullFeeds, queue } from './a-shard.ts';

const RULE = 'path:/print/*';
const EXCLUDED = { state: 'excluded', reason: `excluded by rule ${RULE}` };

describe('what an exclude names', () => {
  test('does not enter the frontier any more, whoever found it and by whatever rules', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    await leaveOutbox(db, crawlId, { links: [linkTo('http://a.test/print/1')] });
    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });
    await leaveOutbox(db, crawlId, {
      links: [linkTo('http://a.test/print/2'), linkTo('http://a.test/')],
    });

    expect(await admitAll(db, crawlId)).toBe(1);
    expect((await urlLines(db)).map(({ url }) => url)).toEqual(['http://a.test/']);
    expect(await faultsOf(db)).toEqual([]);
  });

  test('is excluded where it is queued, with the rule as the reason, and all counts add up', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, [
      'http://a.test/',
      'http://a.test/print/1',
      'http://b.test/print/1',
      'http://b.test/print/2',
    ]);
    await queue(db, crawlId, ['http://a.test/print/2', 'http://c.test/'], { band: 2 });

    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });
    await choresDone(db, crawlId);

    const lines = await urlLines(db);
    expect(lines.filter(({ url }) => url.includes('/print/'))).toMatchObject(
      Array.from({ length: 4 }, () => EXCLUDED),
    );
    expect(lines.filter(({ state }) => state === 'queued')).toHaveLength(2);
    expect(
      await countOf(
        db,
        `ready where host_id = (select host_id from host where host_key = 'b.test')`,
      ),
    ).toBe(0);
    expect(await faultsOf(db)).toEqual([]);
    const why = await explainUrl(db, requestUrl('http://a.test/print/1'));
    expect(why).toMatchObject(EXCLUDED);
  });

  test('stays what it was where it is assigned: the claim is what asks the rules then', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    await queue(db, crawlId, ['http://a.test/print/1']);
    await pullFeeds(db, crawlId, 1);

    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });
    await choresDone(db, crawlId);

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned' }]);
    expect(await faultsOf(db)).toEqual([]);
  });
});

describe('a chore', () => {
  test('takes a batch a transaction, goes on where it was, and meets every queued URL', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const urls = (host: string, n: number): string[] =>
      Array.from(
        { length: n },
        (_, at) => `http://${host}.test/${at % 2 === 0 ? 'print/' : ''}${at}`,
      );
    await queue(db, crawlId, urls('big', 2 * CHORE_URLS + 2));
    await queue(
      db,
      crawlId,
      urls('big', 2 * CHORE_URLS + 2).map((url) => `${url}?`),
      { band: 3 },
    );
    for (let at = 0; at < 20; at += 1) await queue(db, crawlId, urls(`small-${at}`, 10));
    // All due at one instant: the order among them is that of their keys.
    await db.query(`update url set due_at = '2026-01-01' where request_url like '%?'`);
    await db.query(`update ready set due_at = '2026-01-01', turn_at = '2026-01-01' where band = 3`);

    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });
    let batches = 0;
    let excluded = 0;
    while (await doChore(db, { crawlId, shard: 0 })) {
      const now = await countOf(db, `url where state = 'excluded'`);
      expect(now - excluded).toBeLessThanOrEqual(CHORE_URLS);
      excluded = now;
      batches += 1;
      expect(await faultsOf(db)).toEqual([]);
    }

    expect(batches).toBeGreaterThan(4);
    expect(excluded).toBe(2 * (CHORE_URLS + 1) + 100);
    expect(await countOf(db, `url where request_url like '%/print/%' and state = 'queued'`)).toBe(
      0,
    );
    expect(await choresOf(db, crawlId)).toEqual([]);
  });

  test('begins anew where the rules change while it is under way', async ({ db }) => {
    const crawlId = await runningCrawl(db);
    await queue(
      db,
      crawlId,
      Array.from({ length: CHORE_URLS + 10 }, (_, at) => `http://a.test/${at}`),
    );
    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });
    await doChore(db, { crawlId, shard: 0 });
    expect(await choresOf(db, crawlId)).toEqual([
      { kind: 'exclude', queued: CHORE_URLS + 10, looked: CHORE_URLS, changed: 0 },
    ]);

    await changeExcludes(db, crawlId, { add: ['host:a.test'], remove: [RULE] });
    await choresDone(db, crawlId);

    expect(await countOf(db, `url where state = 'excluded'`)).toBe(CHORE_URLS + 10);
    expect(await faultsOf(db)).toEqual([]);
  });

  test("of each shard is its own writer's, and takes only its hosts", async ({ db }) => {
    const crawlId = await runningCrawl(db, { shards: 2 });
    await leaveOutbox(db, crawlId, { shard: 0, links: [linkTo('http://a.test/print/')] });
    await leaveOutbox(db, crawlId, { shard: 1, links: [linkTo('http://b.test/print/')] });
    await changeExcludes(db, crawlId, { add: ['domain:test'], remove: [] });
    await db.query(`update crawl set settings = settings || '{"excludes": []}'`);
    await admitAll(db, crawlId);
    await admit(db, { crawlId, shard: 1 });
    await db.query(`update crawl set settings = settings || '{"excludes": ["domain:test"]}'`);

    while (await doChore(db, { crawlId, shard: 1 }));

    expect((await urlLines(db)).map(({ state }) => state)).toEqual(['queued', 'excluded']);
    expect(await choresOf(db, crawlId)).toMatchObject([{ kind: 'exclude' }]);
    expect(await faultsOf(db)).toEqual([]);
  });

  test('and pulls at the same time leave no URL in two states', async ({ db }) => {
    const crawlId = await runningCrawl(db, { liveHostCap: 1_000 });
    const urls = Array.from({ length: 3_000 }, (_, at) => `http://h${at % 100}.test/print/${at}`);
    await queue(db, crawlId, urls);
    await changeExcludes(db, crawlId, { add: [RULE], remove: [] });

    const pulls = async (): Promise<void> => {
      for (let batch = 1; batch <= 3; batch += 1) await pullFeeds(db, crawlId, batch, EVERY_BAND);
    };
    await Promise.all([choresDone(db, crawlId), pulls()]);

    expect(await faultsOf(db)).toEqual([]);
    expect(await countOf(db, `url where state = 'queued'`)).toBe(0);
  });
});

test('rules are added once, in their order, and taken away; other settings stay', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db, { excludes: ['ext:pdf'], depthLimit: 3 });
  const changed = (add: readonly string[], remove: readonly string[]) =>
    changeExcludes(db, crawlId, { add, remove });

  expect(await changed([RULE, 'ext:pdf', 'host:a.test'], [])).toEqual([
    'ext:pdf',
    RULE,
    'host:a.test',
  ]);
  expect(await changed([], ['ext:pdf', 'host:none.test'])).toEqual([RULE, 'host:a.test']);
  expect((await findCrawl(db, 'test'))?.settings).toMatchObject({
    depthLimit: 3,
    excludes: [RULE, 'host:a.test'],
  });
});

test('a crawl that is begun again with another exclude excludes what is queued, too', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  await queue(db, crawlId, ['http://a.test/print/1', 'http://a.test/']);

  await saveCrawl(db, 'test', settingsOf({ excludes: [RULE] }));
  await openCrawl(db, 'test', true);
  await choresDone(db, crawlId);

  expect((await urlLines(db)).map(({ state }) => state)).toEqual(['queued', 'excluded']);
});

async function choresDone(db: Db, crawlId: number): Promise<void> {
  while (await doChore(db, { crawlId, shard: 0 }));
}

async function faultsOf(db: Db): Promise<readonly object[]> {
  return (await deepCheck(db)).checks.flatMap(({ examples }) => examples);
}
