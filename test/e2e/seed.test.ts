import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults, unsettled } from './support/counts.ts';
import { eventually } from './support/eventually.ts';
import { test, type Scene } from './support/scene.ts';

test(
  'a crawl that runs takes up a seed of another host, follows its links, and is exported meanwhile',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 2, pages: 12 }));
    const pages = (host: string): number =>
      [...web.judge.pages().keys()].filter((url) => new URL(url).hostname === host).length;
    // The crawl runs for as long as one answer is kept back.
    const hold = web.hold('h0.test', '/p/7');
    const crawl = scene.run(
      ...['crawl', web.url('h0.test'), '--allow-private', '--dns', web.dnsServer],
      ...['--page-timeout', '5m', '--gap-factor', '1'],
    );
    await eventually('the first pages', () => pages('h0.test') >= 2);
    expect(pages('h1.test')).toBe(0);

    const meanwhile = linesOf(await succeeds(scene, 'export', '--quiet'));
    const said = await succeeds(scene, 'seed', web.url('h1.test'), '--quiet');

    hold.release();

    expect(meanwhile).not.toHaveLength(0);
    expect(said).toBe('1 seed handed over to "default"; it takes them up now\n');
    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(web.judge.verdict({ minGapMs: 1_000, gapFactor: 1 }).offences).toEqual([]);
    expect([pages('h0.test'), pages('h1.test')]).toEqual([12, 12]);

    const file = join(scene.folder.path, 'fetches.csv');
    await succeeds(scene, 'export', '--output', file);
    const table = readFileSync(file, 'utf8').trim().split('\r\n');
    expect(table).toHaveLength(1 + linesOf(await succeeds(scene, 'export', '--quiet')).length);
    expect(readdirSync(scene.folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);

    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      expect(await unsettled(db)).toEqual([]);
    });

    expect(await succeeds(scene, 'seed', web.url('h1.test', '/p/99'), '--quiet')).toContain(
      'it does not run; go on with: decorum resume default',
    );
  },
);

function linesOf(jsonl: string): readonly { readonly url: string }[] {
  return jsonl
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly url: string });
}

async function succeeds({ run }: Scene, ...args: readonly string[]): Promise<string> {
  const { exitCode, output } = run(...args);
  expect(await exitCode, output()).toBe(0);
  return output();
}
