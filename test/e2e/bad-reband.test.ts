import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { saveCrawl } from '../../db/crawls.ts';
import { settingsOf } from '../db/a-frontier.ts';
import { queue } from '../db/a-shard.ts';
import { everything } from '../db/a-frontier.ts';
import { test } from './support/scene.ts';

test(
  'what a reband cannot do is refused with its remedy, and nothing is written',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const none = scene.run('reband');
    expect(await none.exitCode).toBe(2);
    // A first command makes the database.
    expect(await scene.run('migrate').exitCode).toBe(0);
    const module = join(folder.path, 'mine.mjs');
    writeFileSync(module, `export default ({ path }) => { if (path === '/x') throw 1; };`);
    const before = await folder.lookInto(async (db) => {
      const { crawlId } = await saveCrawl(
        db,
        'docs',
        settingsOf({ bands: 4, weights: [4, 3, 2, 1] }),
      );
      await queue(db, crawlId, ['http://a.test/', 'http://a.test/x'], { band: 2 });
      return everything(db);
    });

    const refusal = async (...typed: readonly string[]): Promise<string> => {
      const { exitCode, output } = scene.run('reband', ...typed);
      expect(await exitCode, output()).toBe(2);
      expect(output()).not.toMatch(/\n\s+at /);
      return output();
    };
    const docs = ['--name', 'docs'];
    expect(await refusal('--name', 'doc')).toContain('There is no crawl "doc": there is "docs".');
    expect(await refusal(...docs, '--priority', 'nonsense')).toContain('Write RULE=BAND');
    expect(await refusal(...docs, '--priority', 'path:/x=9')).toContain('a band from 1 to 8');
    expect(await refusal(...docs, '--priority', 'path:/x=5')).toContain(
      'The rule "path:/x=5" names the band 5, and the crawl has 4: name one from 1 to 4.',
    );
    expect(await refusal(...docs, '--bands', '3')).toContain(
      'The crawl "docs" has 4 bands, and cannot have fewer, 3',
    );
    expect(await refusal(...docs, '--bands', '9')).toContain('a whole number from 1 to 8');
    expect(await refusal(...docs, '--prioritizer', join(folder.path, 'no.mjs'))).toContain(
      'no.mjs" is of no use: it cannot be read: Error: ENOENT',
    );
    expect(await refusal(...docs, '--prioritizer', module)).toContain(
      'mine.mjs" fails with the queued URL "http://a.test/x": it threw 1. Mend it, or leave it out',
    );
    expect(await folder.lookInto(everything)).toBe(before);

    const done = scene.run('reband', ...docs, '--priority', 'path:/x=5', '--bands', '5');
    expect(await done.exitCode, done.output()).toBe(0);
    expect(done.output()).toContain('weights: each half of the one above');
    expect(done.output()).toContain('it does not run; go on with: decorum resume docs');
  },
);
