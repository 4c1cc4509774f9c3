import { expect } from 'vitest';

import { goodWeb, type HostSpec } from '../support/test-web.ts';
import { countFaults } from './support/counts.ts';
import { DEFAULT_LAW, test } from './support/scene.ts';

const unknown: HostSpec = { name: 'unknown.test', pages: 1, kind: 'nxdomain' };
const failing: HostSpec = { name: 'failing.test', pages: 2, kind: 'serverError' };

const webOf = (...odd: readonly HostSpec[]): readonly HostSpec[] => {
  const good = goodWeb({ hosts: 1, pages: 3 });
  return [...good.map((host) => ({ ...host, linksTo: odd.map(({ name }) => name) })), ...odd];
};

test(
  '--no-wait ends when only retries are left, and says what',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webOf(failing));
    const crawl = scene.crawl(web, [web.url('h0.test')], '--no-wait');

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(crawl.output()).toContain('2 retries');
    const { offences, pages } = web.judge.verdict(DEFAULT_LAW);
    expect(offences).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
  },
);

test(
  'a name that does not exist climbs the ladder and is dead',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webOf(unknown));
    const crawl = scene.crawl(web, [web.url('h0.test')], '--retries', '1s,1s');

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(web.judge.verdict(DEFAULT_LAW).offences).toEqual([]);
    await scene.folder.lookInto(async (db) => {
      const { rows } = await db.query(
        `select url.state, reason from url join host using (host_id) where host_key = 'unknown.test'`,
      );
      expect(rows).toEqual([{ state: 'dead', reason: 'retries spent: nameNotFound' }]);
      expect(await countFaults(db)).toEqual([]);
    });
  },
);
