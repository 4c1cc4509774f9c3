import { expect } from 'vitest';

import { expectNothingLost, inFlight, untilInFlight, webToKillIn } from './support/kills.ts';
import { test } from './support/scene.ts';

test(
  'Ctrl-C finishes the pages in flight, says how to resume, and loses no page [DUR10]',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    crawl.interrupt();
    expect(await crawl.exitCode, crawl.output()).toBe(130);
    expect(crawl.output()).toContain(
      `resume with: decorum resume default --data ${scene.folder.path}`,
    );
    expect(await scene.folder.lookInto(inFlight)).toBe(0);

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    await expectNothingLost(scene, web, 0);
  },
);
