import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished } from 'vitest';
import { startPostgres, type OwnPostgres } from '../../workers/embedded-postgres.ts';
import { clusterIn, postgresHome } from '../../workers/postgres-home.ts';
import { identify, isAlive, type ProcessId } from '../../workers/processes.ts';
import { test } from '../support/database.ts';

describe('the embedded Postgres', () => {
  test('works in a private folder, whose mode stays', async () => {
    const dataDir = aFolder(0o700);

    const postgres = await start(dataDir);

    expect(await ask(postgres, 'select 1 as answer')).toEqual([{ answer: 1 }]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test('works in a folder that a link in a private one leads to', async () => {
    const folder = aFolder(0o755);
    const link = join(aFolder(0o700), 'link');
    symlinkSync(folder, link);

    const postgres = await start(link);

    expect(await ask(postgres, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  });

  test('killed, it comes back with all it knew, on its port, and never before its old backends are gone', async () => {
    const dataDir = aFolder(0o755);
    const first = await start(dataDir);
    await ask(first, 'create table kept as select 42 as answer');
    const busy = ask(first, 'select pg_sleep(60)').catch((error: unknown) => error);
    const backend = await backendOf(first, 'select pg_sleep(60)');

    process.kill(first.process.pid, 'SIGKILL');
    await first.ended;
    const second = await start(dataDir, first.port);

    expect(isAlive(backend)).toBe(false);
    expect(second.port).toBe(first.port);
    expect(await ask(second, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await busy).toBeInstanceOf(Error);
  });

  test('a server whose starter was killed is stopped before another starts', async () => {
    const dataDir = aFolder(0o755);
    const first = await start(dataDir);

    const second = await start(dataDir);

    expect(isAlive(first.process)).toBe(false);
    expect(await ask(second, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  });

  test('starts although the pid of its killed server is another program’s by now', async () => {
    const dataDir = aFolder(0o755);
    const first = await start(dataDir);
    process.kill(first.process.pid, 'SIGKILL');
    await first.ended;
    const other = spawn('sleep', ['60']);
    onTestFinished(() => void other.kill());
    const { folder } = await postgresHome(dataDir);
    const pidFile = join(clusterIn(folder), 'postmaster.pid');
    const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
    writeFileSync(pidFile, [other.pid, ...rest].join('\n'));

    const second = await start(dataDir);

    expect(await ask(second, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  });

  test('an initdb that was cut short is done again', async () => {
    const dataDir = aFolder(0o755);
    const home = await postgresHome(dataDir);
    mkdirSync(join(home.folder, 'cluster.new', 'half'), { recursive: true });

    await start(dataDir);

    expect(existsSync(join(clusterIn(home.folder), 'half'))).toBe(false);
  });
});

describe('a test database', () => {
  test('is migrated and one test’s own', async ({ db }) => {
    const { rows } = await db.query('select name from migration');
    expect(rows.length).toBeGreaterThan(0);
  });
});

function aFolder(mode: number): string {
  const parent = mkdtempSync(join(tmpdir(), 'decorum-postgres-'));
  // mkdtemp makes a private folder; here the mode under test is that of the data folder alone.
  chmodSync(parent, 0o755);
  const folder = join(parent, 'data');
  mkdirSync(folder, { mode });
  onTestFinished(async () => {
    const { folder: home } = await postgresHome(folder);
    rmSync(home, { recursive: true, force: true });
    rmSync(parent, { recursive: true, force: true });
  });
  return folder;
}

async function start(dataDir: string, wanted?: number): Promise<OwnPostgres> {
  const logFile = join(dataDir, 'postgres.log');
  const postgres = await startPostgres({ dataDir, port: { wanted }, logFile, throwaway: true });
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function ask(postgres: OwnPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function backendOf(postgres: OwnPostgres, query: string): Promise<ProcessId> {
  const find = `select pid from pg_stat_activity where query = '${query}'`;
  for (;;) {
    const [row] = (await ask(postgres, find)) as { pid: number }[];
    const found = row === undefined ? undefined : identify(row.pid);
    if (found !== undefined) return found;
  }
}
