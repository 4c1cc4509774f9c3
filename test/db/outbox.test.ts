import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { findCrawl } from '../../db/crawls.ts';
import { addSeeds } from '../../db/outbox.ts';
import type { Db } from '../../db/pool.ts';
import { asRequestUrl, type RequestUrl } from '../../domain/request-url.ts';
import { test } from '../support/database.ts';
import {
  countOf,
  everything,
  fetchedSettlement,
  givenUrl,
  grantedClaim,
  openHost,
  runningCrawl,
  settingsOf,
  urlLines,
} from './a-frontier.ts';
import { settle } from '../../db/settle.ts';

async function* batchesOf(...batches: readonly string[][]): AsyncGenerator<readonly RequestUrl[]> {
  for (const batch of batches) yield await Promise.resolve(batch.map(asRequestUrl));
}

async function rootsOf(db: Db): Promise<readonly string[]> {
  return (await findCrawl(db, 'test'))?.settings.scopeRoots ?? [];
}

test('seeds enter the frontier at depth 0, each URL key once', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const batches = batchesOf(
    ['http://a.test/', 'http://b.test/?b=1&a=2'],
    ['http://b.test/?a=2&b=1'],
  );

  const handedOver = await addSeeds(db, { crawlId, settings: settingsOf(), roots: [] }, batches);
  await admit(db, { crawlId, shard: 0 });

  expect(handedOver).toBe(3);
  expect((await urlLines(db)).map(({ url }) => url)).toHaveLength(2);
  expect(await countOf(db, 'url where depth = 0')).toBe(2);
});

test('a URL that the crawl has fetched stays as it is', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const hostId = await openHost(db, 'a.test');
  await givenUrl(db, { crawlId, hostId }, 'http://a.test/');
  const claimed = await grantedClaim(db, hostId);
  await settle(db, claimed.lease, fetchedSettlement(claimed));

  await addSeeds(db, { crawlId, settings: settingsOf(), roots: [] }, batchesOf(['http://a.test/']));
  await admit(db, { crawlId, shard: 0 });

  expect(await urlLines(db)).toMatchObject([{ url: 'http://a.test/', state: 'done' }]);
});

test('the next claim sees the roots by which the scope has grown', async ({ db }) => {
  const crawlId = await runningCrawl(db, { scope: 'host', scopeRoots: ['a.test'] });
  const hostId = await openHost(db, 'a.test');
  await givenUrl(db, { crawlId, hostId }, 'http://a.test/');

  const roots = ['b.test', 'a.test'];
  await addSeeds(db, { crawlId, settings: settingsOf(), roots }, batchesOf(['http://b.test/']));

  const { url } = await grantedClaim(db, hostId);
  expect(url.settings.scopeRoots).toEqual(['a.test', 'b.test']);
  expect(url.settings.scope).toBe('host');
});

test('of many commands at once none loses its roots', async ({ db }) => {
  const crawlId = await runningCrawl(db, { scope: 'host' });
  const hosts = Array.from({ length: 8 }, (_, n) => `h${String(n)}.test`);

  await Promise.all(
    hosts.map((host) =>
      addSeeds(
        db,
        { crawlId, settings: settingsOf(), roots: [host] },
        batchesOf([`http://${host}/`]),
      ),
    ),
  );

  expect(await rootsOf(db)).toEqual(hosts);
});

test('seeds that break off leave nothing', async ({ db }) => {
  const crawlId = await runningCrawl(db, { scope: 'host' });
  const before = await everything(db);
  async function* broken(): AsyncGenerator<readonly RequestUrl[]> {
    yield* batchesOf(['http://a.test/']);
    throw new Error('enough');
  }

  const adding = addSeeds(db, { crawlId, settings: settingsOf(), roots: ['a.test'] }, broken());

  await expect(adding).rejects.toThrow('enough');
  expect(await everything(db)).toBe(before);
});
