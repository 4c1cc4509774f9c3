import { expect } from 'vitest';

import { within } from '../../../workers/processes.ts';
import type { TestWeb } from '../../support/test-web.ts';
import { countFaults, unsettled } from './counts.ts';
import { DEFAULT_LAW, type Scene } from './scene.ts';

/** What a kill may cost. */
export interface Toll {
  /** Requests in flight at the kills: as many pages may be fetched twice. */
  readonly inFlight: number;
}

/** Waits until the web has given away so many pages, so that a kill falls into the middle of a crawl. */
export async function untilPages(web: TestWeb, pages: number): Promise<void> {
  const reached = await within(MIDDLE_LIMIT_MS, () => web.judge.pages().size >= pages);
  if (!reached) throw new Error(`Only ${web.judge.pages().size} pages after ${MIDDLE_LIMIT_MS} ms`);
}

/** Requests in flight now, which a kill would cut. */
export function tollOf(web: TestWeb): Toll {
  return { inFlight: web.judge.inFlight().length };
}

/** The whole web is there, nothing was asked too soon, and the kills cost no more than they may. */
export async function expectNothingLost(scene: Scene, web: TestWeb, { inFlight }: Toll): Promise<void> {
  const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
  expect(offences).toEqual([]);
  expect([...pages].sort()).toEqual([...web.reachable()].sort());
  const repeated = repeats.reduce((sum, { times }) => sum + times - 1, 0);
  expect(repeated, `repeats ${JSON.stringify(repeats)}`).toBeLessThanOrEqual(inFlight);
  await scene.folder.lookInto(async (db) => {
    expect(await countFaults(db)).toEqual([]);
    expect(await unsettled(db)).toEqual([]);
  });
}

const MIDDLE_LIMIT_MS = 120_000;
