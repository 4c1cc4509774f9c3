import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults, unsettled } from './support/counts.ts';
import { eventually } from './support/eventually.ts';
import { test, type Scene } from './support/scene.ts';

const PAGES = 5;

test(
  'hosts and crawls are listed during a crawl and after; removed, it can be started anew under its name',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 2, pages: PAGES }));
    const seeds = ['h0.test', 'h1.test'].map((host) => web.url(host));
    const patience = ['--page-timeout', '5m', '--gap-factor', '1'];
    const start = (...options: readonly string[]) =>
      scene.crawl(web, seeds, '--name', 'docs', ...patience, ...options);
    const requests = (): number => web.judge.requests().length;
    // The crawl runs for as long as one answer is kept back.
    const hold = web.hold('h0.test', '/p/4');
    const crawl = start();
    await eventually('the first pages', () => web.judge.pages().size >= 2);

    const during = await listed(scene, 'hosts', '--name', 'docs', '--sort', 'name');
    expect(during).toMatchObject([
      { kind: 'host', host: 'h0.test', state: 'live', hold: null },
      { kind: 'host', host: 'h1.test', state: 'live', hold: null },
    ]);
    expect(await listed(scene, 'crawls')).toMatchObject([{ name: 'docs', state: 'running' }]);
    const tooEarly = scene.run('crawls', 'remove', 'docs', '--yes');
    expect(await tooEarly.exitCode).toBe(2);
    expect(tooEarly.output()).toContain('"docs" is running: stop it first');
    hold.release();
    expect(await crawl.exitCode, crawl.output()).toBe(0);

    expect(await listed(scene, 'hosts')).toMatchObject([
      { host: 'h0.test', state: 'idle', pages: PAGES, queued: 0, assigned: 0, timeLeftMs: 0 },
      { host: 'h1.test', state: 'idle', pages: PAGES, queued: 0, assigned: 0, timeLeftMs: 0 },
    ]);
    expect(await listed(scene, 'crawls')).toMatchObject([
      { name: 'docs', state: 'finished', pages: 2 * PAGES, known: 2 * PAGES },
    ]);
    expect(await listed(scene, 'crawls', 'remove', 'docs', '--yes')).toMatchObject([
      { kind: 'removed', name: 'docs', urls: 2 * PAGES, filesRemoved: [] },
    ]);
    expect(await listed(scene, 'crawls')).toEqual([]);

    const before = requests();
    const again = start();
    expect(await again.exitCode, again.output()).toBe(0);
    expect(requests()).toBeGreaterThanOrEqual(before + 2 * PAGES);
    // Hosts and their clocks outlive a crawl.
    expect(web.judge.verdict({ minGapMs: 1_000, gapFactor: 1 }).offences).toEqual([]);

    const changed = start('--pages', '50');
    expect(await changed.exitCode, changed.output()).toBe(0);
    expect(changed.output()).toContain('pages: none → 50');
    expect(changed.output()).not.toContain('gapFactor:');
    expect(await listed(scene, 'config', '--name', 'docs')).toContainEqual(
      expect.objectContaining({ key: 'pages', value: '50', source: 'crawl' }),
    );
    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db, 'docs')).toEqual([]);
      expect(await unsettled(db, 'docs')).toEqual([]);
    });
  },
);

async function listed({ run }: Scene, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { exitCode, output } = run(...args, '--json', '--quiet');
  expect(await exitCode, output()).toBe(0);
  return output()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
