import { expect } from 'vitest';

import { expectNothingLost, untilBack, untilInFlight, webToKillIn } from './support/kills.ts';
import { killAll } from './support/process-tree.ts';
import { test } from './support/scene.ts';

test(
  'a killed Temporal comes back by itself, and the pages in flight are kept',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    const temporalPid = () => folder.record().temporal?.pid;
    const killed = temporalPid() ?? 0;
    killAll([killed]);
    await untilBack(temporalPid, killed);

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    await expectNothingLost(scene, web, 0);
  },
);
