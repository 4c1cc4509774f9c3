import { expect } from 'vitest';
import { parkForgotten } from '../../db/hosts.ts';
import { test } from '../support/database.ts';
import type { Db } from '../../db/pool.ts';

async function aLiveHost(db: Db, hostKey: string, allowedAgoMs: number): Promise<void> {
  await db.query(
    `insert into host (host_key, state, next_allowed_at)
     values ($1, 'live', clock_timestamp() - $2 * interval '1 millisecond')`,
    [hostKey, allowedAgoMs],
  );
}

async function statesOf(db: Db): Promise<unknown> {
  const { rows } = await db.query<{ state: string }>('select state from host order by host_key');
  return rows.map(({ state }) => state);
}

test('a live host that nobody serves makes room once it was free for long enough', async ({
  db,
}) => {
  await aLiveHost(db, 'long.test', 61_000);
  await aLiveHost(db, 'short.test', 30_000);

  expect(await parkForgotten(db, 60_000)).toBe(1);
  expect(await statesOf(db)).toEqual(['idle', 'live']);
});

test('a live host whose gap still runs keeps its place, unless its crawl has ended', async ({
  db,
}) => {
  await aLiveHost(db, 'gap.test', -5_000);

  expect(await parkForgotten(db, 0)).toBe(0);
  expect(await parkForgotten(db, null)).toBe(1);
  expect(await statesOf(db)).toEqual(['idle']);
});
