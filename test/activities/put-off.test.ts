import { describe, expect } from 'vitest';
import type { Db } from '../../db/pool.ts';
import { urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { depsOn, visitHost } from './a-visit.ts';
import { visitedHost } from './a-visited-host.ts';

const TOO_MANY = 'HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n';
const UNAVAILABLE = 'HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n';
const BROKEN = 'HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n';

describe('a URL that is answered by nothing but 429 and 503', () => {
  test('waits for its host, counted from the first such answer', async ({ db }) => {
    await visitedHost(db, { '/': TOO_MANY }, '/');
    expect(await putOffForMs(db)).toBeGreaterThanOrEqual(0);
    await putOffAgo(db, 3_600_000);
    await visitHost(await depsOn(db), '127.0.0.1');

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', failures: 0 }]);
    expect(await putOffForMs(db)).toBeGreaterThanOrEqual(3_600_000);
  });

  test.for([TOO_MANY, UNAVAILABLE])(
    'is given up after the time for that',
    async (answer, { db }) => {
      const settings = { putOffWaitMs: 0 };

      await visitedHost(db, { '/': answer }, '/', { settings });

      expect(await urlLines(db)).toMatchObject([{ state: 'dead', reason: 'put off too long' }]);
    },
  );

  test('begins anew after any other answer', async ({ db }) => {
    await visitedHost(db, { '/': BROKEN }, '/', { given: () => ({ failures: 0 }) });

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', failures: 1 }]);
    expect(await putOffForMs(db)).toBeNull();
  });
});

/** Milliseconds since the one URL's first put-off; `null` where there is none. */
async function putOffForMs(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>(
    `select (extract(epoch from now() - put_off_since) * 1000)::float8 as ms from url`,
  );
  return rows[0]?.ms ?? null;
}

/** Turns the one URL's clock back, and lets its host be asked at once. */
async function putOffAgo(db: Db, ms: number): Promise<void> {
  await db.query(
    `update url set put_off_since = now() - $1 * interval '1 millisecond', due_at = now() - interval '1 second'`,
    [ms],
  );
  await db.query(`update host set next_allowed_at = '-infinity', clock_owed_ms = 0`);
}
