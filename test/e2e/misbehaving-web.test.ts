import { expect } from 'vitest';

import { mixedWeb } from '../support/test-web.ts';
import { countFaults, unsettled } from './support/counts.ts';
import { test } from './support/scene.ts';

test(
  'a crawl of a misbehaving web ends by itself, every URL with an outcome and a reason',
  { timeout: 400_000 },
  async ({ scene }) => {
    // The second look at an unreadable robots.txt comes after 10 s, a third after 30 s more.
    const web = await scene.serve(mixedWeb().map((host) => ({ ...host, robotsFailures: 1 })));
    const crawl = scene.crawl(
      web,
      [web.url('good0.test')],
      ...[
        '--retries',
        '1s,2s',
        '--robots-wait',
        '25s',
        '--gap-factor',
        '2',
        '--page-timeout',
        '3s',
      ],
    );

    expect(await crawl.exitCode, crawl.output()).toBe(0);

    const { offences, repeats, pages } = web.judge.verdict({ minGapMs: 1_000, gapFactor: 2 });
    expect(offences).toEqual([]);
    expect(repeats).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
    await scene.folder.lookInto(async (db) => {
      expect(await countFaults(db)).toEqual([]);
      expect(await unsettled(db)).toEqual([]);
    });
  },
);
