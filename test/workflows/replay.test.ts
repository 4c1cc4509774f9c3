import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { historiesFolder, replay } from './replaying.ts';
import type { JsonHistory } from './workflow-lab.ts';

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

const files = readdirSync(historiesFolder).filter((file) => file.endsWith('.json'));

const read = (file: string): JsonHistory =>
  JSON.parse(readFileSync(join(historiesFolder, file), 'utf8')) as JsonHistory;

describe('a history that a real server wrote', () => {
  test.each(files)('replays: %s', async (file) => {
    await expect(replay(read(file))).resolves.toBeUndefined();
  });

  test.each(['host', 'prioritizer', 'crawl', 'housekeeping'])('is there for %s', (workflow) => {
    expect(files.some((file) => file.startsWith(workflow))).toBe(true);
  });

  test('names nothing of the machine where it was recorded', () => {
    const identities = files.flatMap((file) =>
      [...JSON.stringify(read(file)).matchAll(/"identity":"([^"]*)"/gu)].map(([, who]) => who),
    );
    expect(identities.filter((who) => /@/u.test(who ?? ''))).toEqual([]);
  });
});
