import { rmSync } from 'node:fs';

import { expect } from 'vitest';

import { expectNothingLost, inFlight, untilInFlight, webToKillIn } from './support/kills.ts';
import { killAll, processTreeOf } from './support/process-tree.ts';
import { test } from './support/scene.ts';

test(
  'after a kill of everything, resume goes on and loses nothing',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    killAll(processTreeOf(crawl.pid));
    await crawl.exitCode;
    const cut = await scene.folder.lookInto(inFlight);
    const looked = scene.run('doctor', '--deep');
    expect(await looked.exitCode, looked.output()).toBe(0);
    expect(looked.output()).toContain('left open by a worker that was killed');

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    expect(cut).toBeGreaterThan(0);
    await expectNothingLost(scene, web, cut);
  },
);

test(
  'with Temporal’s database deleted, resume rebuilds all from Postgres',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')]);
    await untilInFlight(web, 20);

    killAll(processTreeOf(crawl.pid));
    await crawl.exitCode;
    const cut = await scene.folder.lookInto(inFlight);
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(scene.folder.temporalFile + suffix, { force: true });

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    await expectNothingLost(scene, web, cut);
  },
);
