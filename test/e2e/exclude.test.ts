import { expect } from 'vitest';
import { goodWeb } from '../support/test-web.ts';
import { countFaults, unsettled } from './support/counts.ts';
import { eventually } from './support/eventually.ts';
import { test, type Scene } from './support/scene.ts';

test(
  'a crawl that runs asks no more for what an exclude names, and why tells the rule',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 2, pages: 40 }));
    const pages = (host: string): readonly string[] =>
      [...web.judge.pages().keys()].filter((url) => new URL(url).hostname === host);
    // The crawl runs for as long as one answer is kept back.
    const hold = web.hold('h0.test', '/p/7');
    const crawl = scene.run(
      ...['crawl', web.url('h0.test'), web.url('h1.test'), '--allow-private'],
      ...[
        '--dns',
        web.dnsServer,
        '--page-timeout',
        '5m',
        '--gap-factor',
        '1',
        '--exclude',
        'path:/p/3',
      ],
    );
    await eventually('the first pages', () => pages('h1.test').length >= 3);

    expect(await succeeds(scene, 'exclude', 'host:h1.test')).toContain(
      '"default" excludes by 2 rules; from now on',
    );
    await eventually('what is queued is walked through', async () =>
      (await succeeds(scene, 'exclude', '--json')).includes('"chores":[]'),
    );
    hold.release();

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(web.judge.verdict({ minGapMs: 1_000, gapFactor: 1 }).offences).toEqual([]);
    expect(pages('h0.test')).not.toContain(web.url('h0.test', '/p/3'));
    expect(pages('h1.test').length).toBeLessThan(40);
    const excluded = await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      expect(await unsettled(db)).toEqual([]);
      const { rows } = await db.query<{ url: string }>(
        `select request_url as url from url where reason = 'excluded by rule host:h1.test' limit 1`,
      );
      return rows[0]?.url ?? '';
    });
    expect(await succeeds(scene, 'why', excluded)).toContain(
      'excluded: excluded by rule host:h1.test',
    );
    const left = scene.run('why', web.url('h0.test', '/p/3'));
    expect(await left.exitCode).toBe(2);
    expect(left.output()).toContain('leaves it out: excluded by rule path:/p/3');
    expect(await succeeds(scene, 'exclude')).toContain('path:/p/3\nhost:h1.test\n');
    expect(await refused(scene, 'seed', web.url('h1.test', '/new'))).toContain(
      'is excluded by rule host:h1.test',
    );
    expect(await refused(scene, 'exclude', 'host:h2.test', '--remove')).toContain(
      'The crawl "default" has no rule "host:h2.test": it has path:/p/3 host:h1.test.',
    );
    expect(await refused(scene, 'exclude', 'nonsense')).toContain('A rule is domain:example.org');
    expect(await refused(scene, 'exclude', 'ext:pdf', '--name', 'none')).toContain(
      'There is no crawl "none"',
    );
  },
);

async function succeeds(scene: Scene, ...args: readonly string[]): Promise<string> {
  const { exitCode, output } = scene.run(...args);
  expect(await exitCode, output()).toBe(0);
  return output();
}

async function refused(scene: Scene, ...args: readonly string[]): Promise<string> {
  const { exitCode, output } = scene.run(...args);
  expect(await exitCode, output()).toBe(2);
  expect(output()).not.toMatch(/\n\s+at /);
  return output();
}
