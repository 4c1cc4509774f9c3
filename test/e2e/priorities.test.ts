import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import type { HostSpec } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

const BIG = 10_000;

/** At a gap of a second the big host is asked for so many pages in 20 s. */
const PAGES_OF_20_S = 20;

const small: readonly HostSpec[] = Array.from({ length: 50 }, (_, at) => ({
  name: `small${at}.test`,
  pages: 1,
  kind: 'good',
}));

const WEB: readonly HostSpec[] = [
  { name: 'big.test', pages: BIG, kind: 'good', linksTo: ['patient.test'] },
  { name: 'patient.test', pages: 3, kind: 'robots', crawlDelaySeconds: 3 },
  ...small,
];

/** Puts the one page of another host first, and fails with one page that no seed names. */
const MODULE = `export const prioritizer = ({ host, path }) => {
  if (host === 'patient.test' && path === '/p/2') throw new Error('not that one');
  return host === 'patient.test' ? 1 : undefined;
};`;

test(
  'a host with ten thousand pages holds up no other [FRO01], each keeps its own Crawl-delay [FRO06], and a module is obeyed',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(WEB);
    const module = join(folder.path, 'mine.mjs');
    writeFileSync(module, MODULE);
    const seeds = join(folder.path, 'seeds.txt');
    writeFileSync(
      seeds,
      [
        ...Array.from({ length: BIG }, (_, at) => web.url('big.test', at === 0 ? '/' : `/p/${at}`)),
        ...small.map(({ name }) => web.url(name)),
      ].join('\n'),
    );

    const crawl = scene.crawl(
      web,
      ['--seeds', seeds],
      ...['--pages', String(small.length + PAGES_OF_20_S + 10), '--prioritizer', module],
    );
    expect(await crawl.exitCode, crawl.output()).toBe(3);

    expect(web.judge.verdict(DEFAULT_LAW).offences).toEqual([]);
    const asked = [...web.judge.pages().keys()].map((url) => new URL(url).hostname);
    const many = asked.flatMap((host, at) => (host === 'big.test' ? [at] : []))[PAGES_OF_20_S - 1];
    const early = new Set(asked.slice(0, many));
    expect(many).toBeGreaterThan(0);
    expect(small.filter(({ name }) => !early.has(name))).toEqual([]);
    expect(asked.filter((host) => host === 'patient.test').length).toBeGreaterThan(1);

    const why = scene.run('why', web.url('patient.test', '/p/1'));
    expect(await why.exitCode, why.output()).toBe(0);
    expect(why.output()).toContain(`band 1 by the rule --prioritizer ${module}`);
    const status = scene.run('status');
    expect(await status.exitCode, status.output()).toBe(0);
    expect(status.output().replaceAll(/\s+/gu, ' ')).toContain('went by other rules than');
    await folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      const { rows } = await db.query('select fault from prioritizer_fault');
      expect(rows).toEqual([{ fault: 'it threw Error: not that one' }]);
    });
  },
);
