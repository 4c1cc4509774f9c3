import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { killAll } from './support/process-tree.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

test(
  'a page that kills its worker each time is dead after three claims',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(goodWeb({ hosts: 2, pages: 3 }));
    const deadly = web.url('h1.test', '/p/1');
    let kills = 0;
    web.onRequest(({ host, path }) => {
      if (web.url(host, path) !== deadly) return;
      kills += 1;
      killAll((folder.record().workers ?? []).map(({ pid }) => pid));
    });

    const crawl = scene.crawl(web, [web.url('h0.test')]);
    expect(await crawl.exitCode, crawl.output()).toBe(0);

    expect(kills).toBe(3);
    expect(web.judge.verdict(DEFAULT_LAW).offences).toEqual([]);
    const others = [...web.reachable()].filter((url) => url !== deadly);
    expect([...web.judge.pages()]).toEqual(expect.arrayContaining(others));
    await folder.lookInto(async (db) => {
      const { rows } = await db.query(`select state, reason from url where request_url = $1`, [
        deadly,
      ]);
      expect(rows).toEqual([{ state: 'dead', reason: 'never settled' }]);
      expect(await countFaults(db)).toEqual([]);
    });
  },
);
