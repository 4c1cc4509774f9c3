import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '../../workers/package-root.ts';

test('the rules read the same in any locale and zone [OPS05]', async () => {
  const [here, there] = await Promise.all([
    readIn({ LANG: 'C', LC_ALL: 'C', TZ: 'UTC' }),
    readIn({ LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'America/St_Johns' }),
  ]);

  expect(there).toEqual(here);
  expect(here).toMatchObject({
    directives: { noindex: true, nofollow: true },
    sitemaps: ['HTTPS://A.TEST/I.XML'],
    hosts: ['www.i.test', 'www.i.test'],
    media: 'image/*',
  });
});

/** What `read-in-place.ts` reads in a process with these variables. */
async function readIn(variables: Readonly<Record<string, string>>): Promise<unknown> {
  const script = join(packageRoot(), 'test', 'web', 'read-in-place.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], {
    env: { ...process.env, ...variables },
  });
  return JSON.parse(stdout);
}
