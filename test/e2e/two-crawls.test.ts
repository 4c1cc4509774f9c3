import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

test(
  'two crawls at once on one data folder share each host’s clock',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 3, pages: 6 }));
    const names = ['north', 'south'];
    const crawls = names.map((name) => scene.crawl(web, [web.url('h0.test')], '--name', name));

    for (const { exitCode, output } of crawls) expect(await exitCode, output()).toBe(0);

    const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
    expect(offences).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
    expect(repeats.every(({ times }) => times === 2)).toBe(true);
    expect(repeats.length).toBe(web.reachable().size);
    await scene.folder.lookInto(async (db) => {
      for (const name of names) expect(await countFaults(db, name)).toEqual([]);
    });
  },
);
