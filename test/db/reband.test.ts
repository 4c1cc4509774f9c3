import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { urlLines } from '../../cli/views/explanation-view.ts';
import { admit } from '../../db/admit.ts';
import { bandQueues } from '../../db/bands.ts';
import { changeBandRules } from '../../db/change-band-rules.ts';
import { choresOf } from '../../db/chores.ts';
import { findCrawl } from '../../db/crawls.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import { doChore } from '../../db/do-chore.ts';
import { explainUrl } from '../../db/explain.ts';
import { addSeeds } from '../../db/outbox.ts';
import { connectDatabase, type Db } from '../../db/pool.ts';
import { CHORE_URLS } from '../../db/queued-batch.ts';
import { bandChooser } from '../../domain/band-rules.ts';
import type { Prioritizer, PrioritizerFacts } from '../../domain/prioritizer.ts';
import { asRequestUrl } from '../../domain/request-url.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { test } from '../support/database.ts';
import { seededRandom } from '../support/web-random.ts';
import { countOf, first, leaveOutbox, linkTo, runningCrawl, settingsOf } from './a-frontier.ts';
import { admitAll, EVERY_BAND, pullFeeds, queue } from './a-shard.ts';

async function rebandedAll(db: Db, crawlId: number): Promise<number> {
  let batches = 0;
  while (await doChore(db, { crawlId, shard: 0 })) batches += 1;
  return batches;
}

/** Every queued URL with its band. */
async function bandsOf(db: Db): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.query<{ url: string; band: number }>(
    `select request_url as url, band from url where state = 'queued'`,
  );
  return Object.fromEntries(rows.map(({ url, band }) => [url, band]));
}

async function faultsOf(db: Db): Promise<readonly object[]> {
  return (await deepCheck(db)).checks.flatMap(({ examples }) => examples);
}

describe('a reband', () => {
  test('gives what is queued the bands of the rules of now, whatever they were, and all counts add up', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { bands: 4, room: 1_000, liveHostCap: 1_000 });
    const random = seededRandom('reband');
    const rules = ['path:/a*=4', 'host:h1.test=1', 'ext:pdf=3', 'depth:>1=2'];
    let batchId = 0;
    const url = fc
      .tuple(fc.nat({ max: 3 }), fc.constantFrom('a', 'b', 'c.pdf'), fc.nat({ max: 60 }))
      .map(([host, path, at]) => `http://h${host}.test/${path}?${at}`);
    const given = fc.record({
      urls: fc.array(fc.tuple(url, fc.integer({ min: 1, max: 4 })), { maxLength: 40 }),
      priority: fc.uniqueArray(fc.constantFrom(...rules)),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ urls, priority }) => {
        for (const band of [1, 2, 3, 4]) {
          const own = urls.filter(([, wished]) => wished === band).map(([text]) => text);
          if (own.length > 0) await queue(db, crawlId, own, { band });
        }
        if (random() < 0.5) await pullFeeds(db, crawlId, (batchId += 1), EVERY_BAND);
        await changeBandRules(db, crawlId, { priority });
        await rebandedAll(db, crawlId);

        const choose = bandChooser({ bands: 4, priority });
        const bands = await bandsOf(db);
        const wanted = Object.keys(bands).map((text) => [
          text,
          choose({ url: asRequestUrl(text), depth: 0 }).band,
        ]);
        expect(bands).toEqual(Object.fromEntries(wanted));
        expect(await faultsOf(db)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test('goes a batch at a time, tells how far it is, and changes nothing the second time', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const urls = Array.from({ length: CHORE_URLS + 500 }, (_, at) => `http://a.test/${at}`);
    await queue(db, crawlId, urls, { band: 2 });
    await changeBandRules(db, crawlId, { priority: ['path:/1*=1'] });
    await doChore(db, { crawlId, shard: 0 });
    const [chore] = await choresOf(db, crawlId);
    expect(chore).toMatchObject({ kind: 'reband', queued: urls.length, looked: CHORE_URLS });
    expect(chore?.changed).toBeGreaterThan(0);

    await rebandedAll(db, crawlId);
    const ones = urls.filter((text) => /\/1\d*$/u.test(text)).length;
    expect((await bandQueues(db, crawlId, 3)).map(({ queued }) => queued)).toEqual([
      ones,
      urls.length - ones,
      0,
    ]);
    const before = await bandsOf(db);
    await changeBandRules(db, crawlId, {});
    await doChore(db, { crawlId, shard: 0 });
    expect(await choresOf(db, crawlId)).toMatchObject([{ looked: CHORE_URLS, changed: 0 }]);
    await rebandedAll(db, crawlId);
    expect(await bandsOf(db)).toEqual(before);
    expect(await faultsOf(db)).toEqual([]);
  });

  test('holds for links and seeds that were judged before and are admitted afterwards', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    const links = [linkTo('http://a.test/old', { band: 2, depth: 1 })];
    await leaveOutbox(db, crawlId, { foundOn: 'http://a.test/', links });
    async function* seeds() {
      yield await Promise.resolve([requestUrl('http://a.test/seed')]);
    }
    await addSeeds(db, { crawlId, settings: settingsOf(), roots: [] }, seeds());
    await changeBandRules(db, crawlId, { priority: ['host:a.test=3'] });
    // Judged by the rules of now; that its band isn't theirs shows that it isn't judged again.
    const fresh = { ...linkTo('http://a.test/new', { band: 1, depth: 1 }), rebands: 1 };
    await rebandedAll(db, crawlId);
    await leaveOutbox(db, crawlId, { foundOn: 'http://a.test/', links: [fresh] });
    await admitAll(db, crawlId);

    expect(await bandsOf(db)).toEqual({
      'http://a.test/old': 3,
      'http://a.test/seed': 3,
      'http://a.test/new': 1,
    });
    expect(await faultsOf(db)).toEqual([]);
  });

  test('may bring more bands, which hold URLs at once', async ({ db }) => {
    const crawlId = await runningCrawl(db, { bands: 2, weights: [3, 1] });
    await queue(db, crawlId, ['http://a.test/x', 'http://a.test/y'], { band: 2 });
    await changeBandRules(db, crawlId, { bands: 5, weights: [], priority: ['path:/x=5'] });
    await rebandedAll(db, crawlId);

    expect((await bandQueues(db, crawlId, 5)).map(({ queued }) => queued)).toEqual([0, 1, 0, 0, 1]);
    expect((await findCrawl(db, 'test'))?.settings).toMatchObject({ bands: 5, rebands: 1 });
    expect(await pullFeeds(db, crawlId, 1, EVERY_BAND)).toMatchObject([{ count: 2 }]);
    expect(await faultsOf(db)).toEqual([]);
  });

  test("asks the crawl's module with all that is known, and why names it afterwards", async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db);
    await leaveOutbox(db, crawlId, {
      foundOn: 'http://a.test/s.xml',
      links: [{ ...linkTo('http://a.test/x', { band: 2, depth: 1 }), sitemapPriority: 0.9 }],
    });
    await queue(db, crawlId, ['http://a.test/bad'], { band: 2 });
    const asked: PrioritizerFacts[] = [];
    const rule: Prioritizer = (facts) => {
      asked.push(facts);
      return facts.path === '/bad' ? 99 : 1;
    };
    const prioritizerFor = (file: string) => Promise.resolve({ file, rule });
    await changeBandRules(db, crawlId, { prioritizer: '/rules/mine.js' });
    while (await doChore(db, { crawlId, shard: 0 }, { prioritizerFor }));

    expect(asked.find(({ path }) => path === '/x')).toMatchObject({
      foundOn: 'http://a.test/s.xml',
      sitemapPriority: 0.9,
      depth: 1,
    });
    const known = await explainUrl(db, requestUrl('http://a.test/x'), { prioritizerFor });
    expect(known && urlLines(known, 0).join('\n')).toContain(
      'band 1 by the rule --prioritizer /rules/mine.js,',
    );
    expect(await countOf(db, `prioritizer_fault where urls = 1`)).toBe(1);
    await changeBandRules(db, crawlId, { prioritizer: null });
    expect(await countOf(db, 'prioritizer_fault')).toBe(0);
  });

  test('that loses its database in a batch has done nothing of it, and goes on', async ({
    db,
    databaseUrl,
  }) => {
    const crawlId = await runningCrawl(db, { prioritizer: '/rules/mine.js' });
    const urls = Array.from({ length: 300 }, (_, at) => `http://h${at % 7}.test/${at}`);
    await queue(db, crawlId, urls, { band: 2 });
    await changeBandRules(db, crawlId, { priority: ['path:/*=3'] });
    const before = await bandsOf(db);
    const doomed = connectDatabase(databaseUrl, { max: 1, applicationName: 'doomed' });
    // It is cut off when it reads its module, that is in the middle of its transaction.
    const prioritizerFor = async (file: string) => {
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'doomed' and datname = current_database()`,
      );
      return { file, rule: () => undefined };
    };
    await expect(doChore(doomed, { crawlId, shard: 0 }, { prioritizerFor })).rejects.toThrow();
    await doomed.end();

    expect(await bandsOf(db)).toEqual(before);
    expect(await faultsOf(db)).toEqual([]);
    await rebandedAll(db, crawlId);
    expect(new Set(Object.values(await bandsOf(db)))).toEqual(new Set([3]));
    expect(await faultsOf(db)).toEqual([]);
  });

  test('beside pulls and admits loses nothing and counts right', async ({ db }) => {
    const crawlId = await runningCrawl(db, { room: 1_000, liveHostCap: 1_000 });
    const urls = Array.from({ length: 3 * CHORE_URLS }, (_, at) => `http://h${at % 90}.test/${at}`);
    await queue(db, crawlId, urls, { band: 2 });
    await changeBandRules(db, crawlId, { priority: ['path:/*1=1', 'path:/*2=3'] });
    const pulling = (async () => {
      for (let batch = 1; batch <= 8; batch += 1) {
        await pullFeeds(db, crawlId, batch, EVERY_BAND);
        await leaveOutbox(db, crawlId, { links: [linkTo(`http://new.test/${batch}1`)] });
        await admit(db, { crawlId, shard: 0 });
      }
    })();
    await Promise.all([pulling, rebandedAll(db, crawlId)]);

    expect(await countOf(db, 'url')).toBe(urls.length + 8);
    const choose = bandChooser({ bands: 3, priority: ['path:/*1=1', 'path:/*2=3'] });
    for (const [text, band] of Object.entries(await bandsOf(db)))
      expect([text, band]).toEqual([text, choose({ url: asRequestUrl(text), depth: 0 }).band]);
    expect(await faultsOf(db)).toEqual([]);
    expect(first(await bandQueues(db, crawlId, 3)).queued).toBeGreaterThan(0);
  });
});
