import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults, unsettled } from './support/counts.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

test(
  'every page of 20 well-behaved hosts is fetched once, politely',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 20, pages: 15 }));
    const crawl = scene.crawl(web, [web.url('h0.test')]);

    expect(await crawl.exitCode, crawl.output()).toBe(0);

    const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
    expect(offences).toEqual([]);
    expect(repeats).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      expect(await unsettled(db)).toEqual([]);
    });
  },
);
