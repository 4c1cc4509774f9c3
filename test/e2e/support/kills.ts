import { expect } from 'vitest';

import type { Db } from '../../../db/pool.ts';
import { within } from '../../../workers/processes.ts';
import { goodWeb, type HostSpec, type TestWeb } from '../../support/test-web.ts';
import { countFaults, unsettled } from './counts.ts';
import { DEFAULT_LAW, type Scene } from './scene.ts';

/** Eight hosts of ten pages, whose answers take a moment, so that a kill finds some in flight. */
export function webToKillIn(): readonly HostSpec[] {
  return goodWeb({ hosts: 8, pages: 10 }).map((host) => ({ ...host, latencyMs: 80 }));
}

/** Waits for the middle of a crawl, then for the start of a request: what is killed now has one in flight. */
export async function untilInFlight(web: TestWeb, pages: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const tooLate = setTimeout(() => {
      reject(new Error(`Only ${web.judge.pages().size} pages after ${MIDDLE_LIMIT_MS} ms`));
    }, MIDDLE_LIMIT_MS);
    const stop = web.onRequest(() => {
      if (web.judge.pages().size < pages) return;
      stop();
      clearTimeout(tooLate);
      resolve();
    });
  });
}

/** URLs claimed and not settled: what a crawler that died now had in flight, and will ask for again. */
export const IN_FLIGHT = `select request_url from url where state = 'assigned' and claims > 0`;

/** The same, for a pool. */
export async function inFlight(db: Db): Promise<number> {
  return (await db.query(IN_FLIGHT)).rows.length;
}

/** Waits until another process than the killed one stands in the folder's record. */
export async function untilBack(pidNow: () => number | undefined, killed: number): Promise<void> {
  const isBack = () => ![undefined, killed].includes(pidNow());
  expect(await within(MIDDLE_LIMIT_MS, isBack), 'it did not come back').toBe(true);
}

/** The whole web is there, nothing was asked too soon, and no more pages came twice than were in flight. */
export async function expectNothingLost(
  { folder }: Scene,
  web: TestWeb,
  repeatsAllowed: number,
): Promise<void> {
  const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
  expect(offences).toEqual([]);
  expect([...pages].sort()).toEqual([...web.reachable()].sort());
  const repeated = repeats.reduce((sum, { times }) => sum + times - 1, 0);
  expect(repeated, JSON.stringify(repeats)).toBeLessThanOrEqual(repeatsAllowed);
  await folder.lookInto(async (db) => {
    expect(await countFaults(db)).toEqual([]);
    expect(await unsettled(db)).toEqual([]);
  });
}

const MIDDLE_LIMIT_MS = 120_000;
