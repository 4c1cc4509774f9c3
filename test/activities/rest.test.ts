import { describe, expect } from 'vitest';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { givenUrl, hostLine, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, closedPort, rawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

describe('a host after its rest', () => {
  test('is probed with a single request, and rests on if that fails', async ({ db }) => {
    const hostId = await restedHost(db, await closedPort());

    const result = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 600_000 });

    expect(result.requests).toBe(1);
    expect(result.next).toMatchObject({ kind: 'again' });
    expect((result.next as { waitMs: number }).waitMs).toBeGreaterThan(60_000);
    expect(await hostLine(db, hostId)).toMatchObject({ failuresInARow: 6 });
    expect((await urlLines(db)).map(({ failures }) => failures).toSorted()).toEqual([0, 1]);
  });

  test('that answers is served on, and its failures are forgotten', async ({ db }) => {
    const site = await rawHost((socket) => {
      socket.end(answerOf('hello'));
    });
    const hostId = await restedHost(db, site.port);

    const result = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 600_000 });

    expect(result.requests).toBe(2);
    expect(await hostLine(db, hostId)).toMatchObject({ failuresInARow: 0, backoffLevel: 0 });
    expect((await urlLines(db)).map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

/** A host with two due URLs and five failures in a row behind it, whose rest is over. */
async function restedHost(db: Db, port: number): Promise<number> {
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0 });
  const hostId = await ensureHost(db, '127.0.0.1');
  const origin = `http://127.0.0.1:${port}`;
  await db.query(
    `insert into robots (host_id, origin, access, version, expires_at)
     values ($1, $2, 'allowAll', 1, now() + interval '1 day')`,
    [hostId, origin],
  );
  await givenUrl(db, { crawlId, hostId }, `${origin}/1`);
  await givenUrl(db, { crawlId, hostId }, `${origin}/2`);
  await db.query(`update host set failures_in_row = 5`);
  return hostId;
}
