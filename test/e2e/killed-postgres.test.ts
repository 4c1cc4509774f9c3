import { expect } from 'vitest';

import { expectNothingLost, untilBack, untilInFlight, webToKillIn } from './support/kills.ts';
import { killAll } from './support/process-tree.ts';
import { test } from './support/scene.ts';

test(
  'a killed Postgres comes back by itself and costs at most the pages in flight [DUR11]',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    const postgresPid = () => folder.record().postgres?.pid;
    const killed = postgresPid() ?? 0;
    killAll([killed]);
    const inFlight = web.judge.inFlight().length;
    await untilBack(postgresPid, killed);

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    await expectNothingLost(scene, web, inFlight);
  },
);
