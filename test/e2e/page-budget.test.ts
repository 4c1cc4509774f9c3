import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

test(
  'a budget of 50 pages over 30 hosts is spent exactly [FRO09]',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 30, pages: 10 }));
    const crawl = scene.crawl(web, [web.url('h0.test')], '--pages', '50');

    expect(await crawl.exitCode, crawl.output()).toBe(3);

    const { offences, repeats, finalAnswers } = web.judge.verdict(DEFAULT_LAW);
    expect(offences).toEqual([]);
    expect(repeats).toEqual([]);
    expect(finalAnswers).toBe(50);
    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
    });
  },
);

test(
  'a spent crawl goes on with a higher budget, and repeats nothing',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 6, pages: 4 }));
    const crawl = scene.crawl(web, [web.url('h0.test')], '--pages', '8');
    expect(await crawl.exitCode, crawl.output()).toBe(3);
    expect(web.judge.verdict(DEFAULT_LAW).finalAnswers).toBe(8);

    const rest = scene.run('crawl', '--pages', 'none');
    expect(await rest.exitCode, rest.output()).toBe(0);
    const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
    expect(offences).toEqual([]);
    expect(repeats).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
    });
  },
);
