import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { expectNothingLost, untilInFlight } from './support/kills.ts';
import { test } from './support/scene.ts';

test(
  'a second Ctrl-C leaves at once and loses nothing',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 4, pages: 5 }));
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 5);
    const { asked, release } = web.hold('h1.test');
    await asked;

    // The page that is kept back would hold up the first Ctrl-C for its whole time.
    crawl.interrupt();
    await crawl.said('stopping');
    // Two signals within a moment are one press.
    await sleep(1_000);
    crawl.interrupt();
    expect(await crawl.exitCode, crawl.output()).toBe(130);
    release();

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    await expectNothingLost(scene, web, 1);
  },
);
