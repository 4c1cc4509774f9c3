import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { findCrawl, saveCrawl } from '../../db/crawls.ts';
import { explainUrl } from '../../db/explain.ts';
import { addSeeds } from '../../db/outbox.ts';
import { asRequestUrl } from '../../domain/request-url.ts';
import { test } from '../support/database.ts';
import { givenUrl, grantedClaim, openHost, runningCrawl, settingsOf } from './a-frontier.ts';

const WITH_SESSION = asRequestUrl('http://a.test/x;jsessionid=1?b=1&a=2');

test('what is fixed stays as it was made, whoever saves the crawl again', async ({ db }) => {
  await saveCrawl(db, 'test', settingsOf({ sortQuery: false, dropParameters: ['ref'] }));
  const changes = { sortQuery: true, dropParameters: [], scope: 'host', depthLimit: 3 } as const;
  const saved = await saveCrawl(db, 'test', settingsOf(changes));

  const expected = { sortQuery: false, dropParameters: ['ref'], scope: 'any', depthLimit: 3 };
  expect(saved.settings).toMatchObject(expected);
  expect((await findCrawl(db, 'test'))?.settings).toEqual(saved.settings);
});

test('of two commands that make a crawl at once, one makes the rules', async ({ db }) => {
  const rules = [true, false, true, false].map((sortQuery) => settingsOf({ sortQuery }));
  const saved = await Promise.all(rules.map((settings) => saveCrawl(db, 'test', settings)));

  expect(new Set(saved.map(({ settings }) => settings.sortQuery)).size).toBe(1);
});

test('a crawl from before a rule was a setting goes on without the rule', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  await db.query(
    `update crawl set settings = settings - 'dropSessionIds' - 'maxSegments' - 'sortQuery'`,
  );
  const hostId = await openHost(db, 'a.test');
  await givenUrl(db, { crawlId, hostId }, 'http://a.test/');

  const former = { dropSessionIds: false, maxSegments: null, sortQuery: true };
  expect((await findCrawl(db, 'test'))?.settings).toMatchObject(former);
  expect((await grantedClaim(db, hostId)).url.settings).toMatchObject(former);
  const { settings } = await saveCrawl(db, 'test', settingsOf());
  expect(settings.dropSessionIds).toBe(false);
});

test('each crawl finds a URL by its own rules', async ({ db }) => {
  for (const [name, changes] of [
    ['strict', { dropSessionIds: false, sortQuery: false }],
    ['loose', {}],
  ] as const) {
    const crawlId = await runningCrawl(db, changes, name);
    const seeds = (async function* () {
      yield await Promise.resolve([WITH_SESSION]);
    })();
    await addSeeds(db, { crawlId, settings: settingsOf(changes), roots: [] }, seeds);
    await admit(db, { crawlId, shard: 0 });
  }

  const found = async (url: string, name: string): Promise<string | undefined> =>
    (await explainUrl(db, asRequestUrl(url), { crawlName: name }))?.url;
  expect(await found('http://a.test/x?a=2&b=1', 'loose')).toBe(WITH_SESSION);
  expect(await found('http://a.test/x?a=2&b=1', 'strict')).toBeUndefined();
  expect(await found(WITH_SESSION, 'strict')).toBe(WITH_SESSION);
});
