import { describe, expect } from 'vitest';
import { endCrawl, openCrawl, saveCrawl } from '../../db/crawls.ts';
import { connectDatabase, inTransaction, type Db } from '../../db/pool.ts';
import { readProgress } from '../../db/progress.ts';
import { test } from '../support/database.ts';
import { first, leaveOutbox, runningCrawl, settingsOf } from './a-frontier.ts';
import { admitAll } from './a-shard.ts';

describe('a pool of one connection', () => {
  test('goes on after its connection died while idle [DBS08]', async ({ db, databaseUrl }) => {
    await withPool(databaseUrl, async (pool) => {
      const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.query('select pg_terminate_backend($1)', [first(rows).pid]);
      await expect.poll(() => pool.totalCount).toBe(0);

      await expect(pool.query('select 1')).resolves.toBeDefined();
    });
  });

  test('is clean after a transaction that failed [DBS09]', async ({ databaseUrl }) => {
    await withPool(databaseUrl, async (pool) => {
      const failing = inTransaction(pool, async (tx) => {
        await tx.query('create temporary table half (n integer)');
        await tx.query('select 1 / 0');
      });
      await expect(failing).rejects.toThrow('division by zero');

      await expect(pool.query('select 1')).resolves.toBeDefined();
      const { rows } = await pool.query(`select to_regclass('half') as half`);
      expect(rows).toEqual([{ half: null }]);
    });
  });

  test('is whole after a connection that died within a transaction', async ({
    db,
    databaseUrl,
  }) => {
    await withPool(databaseUrl, async (pool) => {
      const dying = inTransaction(pool, async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        await db.query('select pg_terminate_backend($1)', [first(rows).pid]);
        await tx.query('select 1');
      });
      await expect(dying).rejects.toThrow();

      await expect(pool.query('select 1')).resolves.toBeDefined();
    });
  });
});

describe('time', () => {
  test('has its zone in every column [DBS12]', async ({ db }) => {
    const { rows } = await db.query(
      `select table_name, column_name
         from information_schema.columns
        where table_schema = 'public'
          and data_type in ('timestamp without time zone', 'time without time zone', 'date')`,
    );
    expect(rows).toEqual([]);
  });

  test('is the same instant for whoever writes and reads it, in whatever zone', async ({ db }) => {
    const at = new Date('2026-03-01T00:30:00Z');
    const client = await db.connect();
    try {
      await client.query(`set timezone to 'America/St_Johns'`);
      await client.query('create temporary table seen (at timestamptz)');
      await client.query('insert into seen values ($1)', [at]);
      await client.query(`set timezone to 'Asia/Kathmandu'`);
      const { rows } = await client.query<{ at: Date }>('select at from seen');
      expect(first(rows).at.toISOString()).toBe(at.toISOString());
    } finally {
      client.release(true);
    }
  });
});

test('a crawl that is stopped and goes on keeps its numbers and its start [DUR13]', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  const settled = async (pages: number): Promise<void> => {
    for (let page = 0; page < pages; page += 1) {
      await leaveOutbox(db, crawlId, { outcome: 'fetched', settled: 1, bytes: 10 });
    }
    await admitAll(db, crawlId);
  };
  await settled(50);
  const before = await readProgress(db, crawlId);
  const { startedAt } = await saveCrawl(db, 'test', settingsOf());
  await endCrawl(db, crawlId, 'stopped');

  const again = await saveCrawl(db, 'test', settingsOf());
  await openCrawl(db, 'test', true);
  await settled(50);

  expect(before.pages).toBe(50);
  expect((await readProgress(db, crawlId)).pages).toBe(100);
  expect(again.startedAt).toEqual(startedAt);
  const { rows } = await db.query<{ ended: boolean }>(
    `select ended_at is not null as ended from crawl where crawl_id = $1`,
    [crawlId],
  );
  expect(first(rows).ended).toBe(false);
});

async function withPool(databaseUrl: string, work: (pool: Db) => Promise<void>): Promise<void> {
  const pool = connectDatabase(databaseUrl, { max: 1 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}
