import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { eventually } from './support/eventually.ts';
import { killAll, processTreeOf } from './support/process-tree.ts';
import { test, type Scene } from './support/scene.ts';

const URLS = 60_000;

test(
  'a reband that is killed with everything goes on after a resume, and all counts add up',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(goodWeb({ hosts: 2, pages: 3 }));
    const seeds = join(folder.path, 'seeds.txt');
    const lines = Array.from({ length: URLS }, (_, at) => web.url('h1.test', `/q/${at}`));
    writeFileSync(seeds, lines.join('\n'));
    // The crawl runs for as long as one answer is kept back, and what waits for a paused host stays queued.
    const hold = web.hold('h0.test', '/');
    const settings = ['--allow-private', '--dns', web.dnsServer, '--page-timeout', '5m'];
    const crawl = scene.run('crawl', web.url('h0.test'), ...settings);
    await eventually('the crawl', () => crawl.output().includes('running'));
    await succeeds(scene, 'pause', 'h1.test', '--why', 'the test');
    await succeeds(scene, 'seed', '--file', seeds, '--quiet');
    await eventually('what is queued', async () => (await queued(scene)) >= URLS);

    expect(
      await succeeds(
        scene,
        'reband',
        '--priority',
        'path:/q/*1=1',
        '--priority',
        'path:/q/*2=4',
        '--bands',
        '4',
      ),
    ).toContain(
      '"default" goes by path:/q/*1=1, path:/q/*2=4, the default rule; what is queued follows',
    );
    while ((await rebanded(scene)) === 0);
    killAll(processTreeOf(crawl.pid));
    await crawl.exitCode;
    const half = await folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      const { rows } = await db.query<{ looked: number }>('select looked::int from chore');
      return rows[0]?.looked ?? URLS;
    });
    expect(half).toBeLessThan(URLS);

    const resumed = scene.run('resume');
    await eventually('the servers', () => resumed.output().includes('running'));
    await eventually('its end', async () => (await rebanded(scene)) === undefined);
    const bands = await folder.ask<{ last: string; band: number; urls: number }>(
      `select case when request_url ~ '[12]$' then right(request_url, 1) else '-' end as last, band, count(*)::int as urls
         from url where state = 'queued' group by 1, 2 order by 1`,
    );
    expect(bands).toEqual([
      { last: '-', band: 2, urls: 0.8 * URLS },
      { last: '1', band: 1, urls: 0.1 * URLS },
      { last: '2', band: 4, urls: 0.1 * URLS },
    ]);
    expect(await succeeds(scene, 'why', web.url('h1.test', '/q/51'))).toContain(
      'band 1 by the rule path:/q/*1=1',
    );
    hold.release();
    await succeeds(scene, 'stop');
    await resumed.exitCode;
    await folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
    });
  },
);

async function queued({ folder }: Scene): Promise<number> {
  const [row] = await folder.ask<{ urls: number }>(
    'select coalesce(sum(urls), 0)::int as urls from queued_count',
  );
  return row?.urls ?? 0;
}

/** URLs that the reband under way has changed; `undefined` where none is under way. */
async function rebanded({ folder }: Scene): Promise<number | undefined> {
  const [row] = await folder.ask<{ changed: number }>(
    `select changed::int as changed from chore where kind = 'reband'`,
  );
  return row?.changed;
}

async function succeeds(scene: Scene, ...typed: readonly string[]): Promise<string> {
  const run = scene.run(...typed);
  expect(await run.exitCode, run.output()).toBe(0);
  return run.output();
}
