import { expect } from 'vitest';

import { expectNothingLost, untilInFlight, webToKillIn } from './support/kills.ts';
import { test } from './support/scene.ts';

test(
  'stop from elsewhere ends a crawl in order, and resume completes it [DUR13]',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    const stop = scene.run('stop');
    expect(await stop.exitCode, stop.output()).toBe(0);
    expect(stop.output()).toContain('default is stopped');
    expect(await crawl.exitCode, crawl.output()).toBe(130);

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    await expectNothingLost(scene, web, 0);
  },
);
