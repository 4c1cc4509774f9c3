import { expect } from 'vitest';

import {
  expectNothingLost,
  IN_FLIGHT,
  untilBack,
  untilInFlight,
  webToKillIn,
} from './support/kills.ts';
import { killAll } from './support/process-tree.ts';
import { test } from './support/scene.ts';

test(
  'a killed worker comes back by itself and costs the pages in flight',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    const workerPid = () => folder.record().workers?.[0]?.pid;
    const killed = workerPid() ?? 0;
    killAll([killed]);
    const inFlight = await folder.ask(IN_FLIGHT);
    await untilBack(workerPid, killed);

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(inFlight.length).toBeGreaterThan(0);
    await expectNothingLost(scene, web, inFlight.length);
  },
);
