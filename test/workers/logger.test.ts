import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../workers/logger.ts';

test('whatever a stranger wrote is one line of a log, and nothing that a terminal would obey [SEC11]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'decorum-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const title = 'x\n{"level":"error","msg":"fake"}\r\u001b[2J\u0007\u0000';

  createLogger('test', 'info', file).info({ title, error: new Error(title) }, 'page kept');

  const text = await readFile(file, 'utf8');
  expect(text.trimEnd().split('\n')).toHaveLength(1);
  expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(text)).toMatchObject({ title, msg: 'page kept' });
});
