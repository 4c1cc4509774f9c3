import { expect } from 'vitest';

import { goodWeb } from '../support/test-web.ts';
import { expectNothingLost } from './support/kills.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

test(
  'a crawl whose time is spent ends by its budget and goes on with more',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(goodWeb({ hosts: 2, pages: 12 }));
    const crawl = scene.crawl(web, [web.url('h0.test')], '--time', '6s');
    expect(await crawl.exitCode, crawl.output()).toBe(3);
    expect(crawl.output()).toContain('its time is spent');
    expect(web.judge.pages().size).toBeLessThan(web.reachable().size);

    const further = scene.run('crawl', '--name', 'default', '--time', 'none');
    expect(await further.exitCode, further.output()).toBe(0);
    await expectNothingLost(scene, web, 0);
  },
);

test('a depth limit is the most links from a seed', { timeout: 300_000 }, async ({ scene }) => {
  const web = await scene.serve(goodWeb({ hosts: 4, pages: 6 }));
  const seeds = [web.url('h1.test')];
  const crawl = scene.crawl(web, seeds, '--depth', '1');
  expect(await crawl.exitCode, crawl.output()).toBe(0);

  const { offences, repeats, pages } = web.judge.verdict(DEFAULT_LAW);
  expect(offences).toEqual([]);
  expect(repeats).toEqual([]);
  expect([...pages].sort()).toEqual([...web.reachable({ seeds, depth: 1 })].sort());
});
