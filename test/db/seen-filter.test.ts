import { describe, expect } from 'vitest';
import { SeenFilters } from '../../activities/seen-filters.ts';
import { admit, type Admitted, type SeenFilter } from '../../db/admit.ts';
import type { Db } from '../../db/pool.ts';
import { readProgress } from '../../db/progress.ts';
import { BEFORE_ALL_KEYS, readSeenKeys } from '../../db/seen-keys.ts';
import { keyHashesIn, keyHashOf } from '../../db/key-hash.ts';
import { test } from '../support/database.ts';
import { countOf, leaveOutbox, linkTo, runningCrawl } from './a-frontier.ts';
import { queue } from './a-shard.ts';

const NEVER_CHECKED = (): number => 0.99;
const ALWAYS_CHECKED = (): number => 0;

describe('a crawl that knows URLs by filter only', () => {
  test('asks the unique key until its filter is filled from the frontier, then leaves known ones out unasked', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { seenTest: 'filter' });
    await queue(db, crawlId, urlsOf(0, 500));
    const filters = new SeenFilters(NEVER_CHECKED);
    const shard = { crawlId, shard: 0 };

    expect(await filters.of(db, shard)).toBeUndefined();
    const filter = await filters.of(db, shard);
    expect(urlsOf(0, 500).every((url) => filter?.mayHold(url))).toBe(true);

    const admitted = await admitLinks(db, crawlId, urlsOf(400, 600), filter);
    expect(admitted).toMatchObject({ admitted: 100 });
    expect(admitted.seen).toEqual(urlsOf(500, 600));
    filters.add(shard, admitted.seen);
    expect(await admitLinks(db, crawlId, urlsOf(500, 600), filter)).toMatchObject({ admitted: 0 });
    expect(await countOf(db, 'shard where filter_entered = 100 and filter_left_out = 200')).toBe(1);
  });

  test('loses nothing that another process has let in: what a filter lacks, the unique key knows', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { seenTest: 'filter' });
    const filters = new SeenFilters(NEVER_CHECKED);
    await filters.of(db, { crawlId, shard: 0 });
    const filter = await filters.of(db, { crawlId, shard: 0 });
    await queue(db, crawlId, urlsOf(0, 100));

    expect(await admitLinks(db, crawlId, urlsOf(50, 150), filter)).toMatchObject({ admitted: 50 });
    expect(await countOf(db, 'url')).toBe(150);
  });

  test('counts what its filter gets wrong by links that are checked all the same, and says so', async ({
    db,
  }) => {
    const crawlId = await runningCrawl(db, { seenTest: 'filter' });
    const wrongOften: SeenFilter = {
      mayHold: (key) => Number(key.split('/').at(-1)) % 2 === 0,
      checks: everyFourth(),
    };

    await admitLinks(db, crawlId, urlsOf(0, 80), wrongOften);

    const { seenFilter } = await readProgress(db, crawlId);
    expect(seenFilter).toMatchObject({
      entered: 40,
      leftOut: 30,
      checked: 10,
      wrong: 10,
      lost: 30,
    });
    expect(seenFilter?.measuredShare).toBe(0.5);
    expect(await countOf(db, 'url')).toBe(50);
  });

  test('checks links at random, so that none is lost for good', async ({ db }) => {
    const crawlId = await runningCrawl(db, { seenTest: 'filter' });
    const filters = new SeenFilters(ALWAYS_CHECKED);
    await filters.of(db, { crawlId, shard: 0 });
    const filter = await filters.of(db, { crawlId, shard: 0 });
    filters.add({ crawlId, shard: 0 }, urlsOf(0, 1));

    expect(await admitLinks(db, crawlId, urlsOf(0, 1), filter)).toMatchObject({ admitted: 1 });
  });

  test('has a bigger filter made beside the one in use, without a stop', async ({ db }) => {
    const crawlId = await runningCrawl(db, { seenTest: 'filter' });
    const shard = { crawlId, shard: 0 };
    await queue(db, crawlId, urlsOf(0, 10));
    const filters = new SeenFilters(NEVER_CHECKED);
    await filters.of(db, shard);
    const small = await filters.of(db, shard);
    await db.query('update shard set known = 2000000');

    const meanwhile = await filters.of(db, shard);
    filters.add(shard, urlsOf(10, 11));
    const big = await filters.of(db, shard);

    for (const filter of [small, meanwhile, big]) {
      expect(urlsOf(0, 11).every((url) => filter?.mayHold(url))).toBe(true);
    }
    expect(await filters.of(db, shard)).toBeDefined();
  });
});

test('an exact crawl has no filter', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  expect(await new SeenFilters(Math.random).of(db, { crawlId, shard: 0 })).toBeUndefined();
  expect((await readProgress(db, crawlId)).seenFilter).toBeNull();
});

test('the keys of a shard are read part by part, each once, and no other shard’s', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  const other = await runningCrawl(db, {}, 'other');
  await queue(db, crawlId, urlsOf(0, 70));
  await queue(db, other, urlsOf(70, 90));
  await db.query(
    `update host_crawl set shard = 1
      where host_id = (select host_id from host where host_key = 'h3.test')`,
  );
  const read: string[] = [];
  let position = BEFORE_ALL_KEYS;
  for (;;) {
    const part = await readSeenKeys(db, { crawlId, shard: 0 }, position, 16);
    if (part === undefined) break;
    read.push(...[...keyHashesIn(part.hashes)].map(String));
    position = part.position;
  }

  const expected = urlsOf(0, 70).filter((url) => !url.startsWith('http://h3.test'));
  expect(read.sort()).toEqual(expected.map((url) => String(keyHashOf(url))).sort());
});

function urlOf(n: number): string {
  return `http://h${String(n % 7)}.test/${String(n)}`;
}

function urlsOf(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, at) => urlOf(from + at));
}

async function admitLinks(
  db: Db,
  crawlId: number,
  urls: readonly string[],
  filter?: SeenFilter,
): Promise<Admitted> {
  await leaveOutbox(db, crawlId, { links: urls.map((url) => linkTo(url)) });
  return admit(db, { crawlId, shard: 0 }, { filter });
}

function everyFourth(): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked % 4 === 0;
  };
}
