import { expect } from 'vitest';

import { eventually } from './support/eventually.ts';
import { expectNothingLost, webToKillIn } from './support/kills.ts';
import { test, type Scene } from './support/scene.ts';

test(
  'a detached crawl runs on without its command, stop --servers ends all in order, and up and resume complete it',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    const crawl = scene.crawl(web, [web.url('h0.test')], '--detach');
    expect(await crawl.exitCode, crawl.output()).toBe(0);

    await eventually('pages without a client', () => web.judge.pages().size >= 10);
    const running = await serversSaid(scene);
    expect(running).toMatchObject({ running: true, detached: true, clients: [] });

    const stop = scene.run('stop', '--servers');
    expect(await stop.exitCode, stop.output()).toBe(0);
    expect(stop.output()).toContain('default is left as it is');
    expect(scene.folder.record().supervisor).toBeUndefined();
    const again = scene.run('stop', '--servers');
    expect(await again.exitCode, again.output()).toBe(0);
    expect(again.output()).toContain('no servers run');

    const before = web.judge.pages().size;
    const up = scene.run('up');
    await eventually('more pages', () => web.judge.pages().size > before);
    up.interrupt();
    expect(await up.exitCode, up.output()).toBe(130);
    expect(up.output()).toContain('servers and workers are down');

    const resumed = scene.run('resume');
    expect(await resumed.exitCode, resumed.output()).toBe(0);
    await expectNothingLost(scene, web, 0);
  },
);

async function serversSaid(scene: Scene): Promise<unknown> {
  const status = scene.run('status', '--json');
  expect(await status.exitCode, status.output()).toBe(0);
  const lines = status.output().trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { readonly kind: string })
    .find(({ kind }) => kind === 'servers');
}
