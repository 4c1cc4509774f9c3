import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../workers/config.ts';
import { BadInput, openServers } from '../../workers/open-servers.ts';
import { test } from '../support/database.ts';
import { startTemporal } from '../support/temporal.ts';

const standIn = join(import.meta.dirname, '..', 'support', 'stand-in-worker.ts');
const say = (): undefined => undefined;

test('where the environment names the servers none is embedded, and the workers are supervised', async ({
  databaseUrl,
}) => {
  const { address, close } = await startTemporal();
  await close();
  const config = loadConfig({
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: address,
  });
  const dataDir = aDataFolder();

  const servers = await openServers({
    ...{ dataDir, need: 'everything', workers: 1, workerEntry: standIn, config, say },
  });
  const { postgres, temporal, workers } = servers.ownPids();
  await servers.leave();

  expect(servers.databaseUrl).toBe(databaseUrl);
  expect(servers.temporal).toMatchObject({ address, namespace: 'default' });
  expect(servers.uiUrl).toBeUndefined();
  expect(workers).toHaveLength(1);
  expect([postgres, temporal]).toEqual([undefined, undefined]);
});

test('a named database that does not answer is bad input: it is told without its password, and nothing is made', async () => {
  const databaseUrl = 'postgres://me:secret@127.0.0.1:1/crawls';
  const config = loadConfig({ ...process.env, DATABASE_URL: databaseUrl });

  const dataDir = join(aDataFolder(), 'data');

  const opening = openServers({ dataDir, need: 'database', config, say });

  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BadInput);
  expect(String(error)).toContain('Postgres at 127.0.0.1:1/crawls');
  expect(String(error)).not.toContain('secret');
  expect(existsSync(dataDir)).toBe(false);
});

test('a data folder that cannot be made is bad input', async () => {
  const file = join(aDataFolder(), 'file');
  writeFileSync(file, '');

  const opening = openServers({ dataDir: join(file, 'data'), need: 'database', say });

  await expect(opening).rejects.toThrow(BadInput);
  expect(readFileSync(file, 'utf8')).toBe('');
});

function aDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-real-'));
  onTestFinished(async () => {
    // A supervisor whose client was refused leaves by itself, and writes its last words first.
    for (let looks = 0; looks < 200 && existsSync(join(folder, 'supervisor.lock')); looks += 1) {
      await sleep(100);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return folder;
}
