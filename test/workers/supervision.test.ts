import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../workers/config.ts';
import { endServers, findServers } from '../../workers/enquiry.ts';
import { openServers, type Servers, type ServersOrder } from '../../workers/open-servers.ts';
import { postgresHome } from '../../workers/postgres-home.ts';
import { identify, isAlive, signalProcess, type ProcessId } from '../../workers/processes.ts';
import { fileArguments } from '../../workers/run-script.ts';
import type { OwnPids } from '../../workers/supervisor-protocol.ts';
import { isHealthy } from '../../workers/temporal-service.ts';

// Each test starts and stops real servers, some twice; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

const holdServers = join(import.meta.dirname, '..', 'support', 'hold-servers.ts');
const standIn = join(import.meta.dirname, '..', 'support', 'stand-in-worker.ts');

test('clients share one set of servers, also when they come at once; the last one that leaves stops them', async () => {
  const dataDir = aDataFolder();
  const [first, second] = await Promise.all([
    open(dataDir, { need: 'database' }),
    open(dataDir, { workers: 2 }),
  ]);
  await until(() => notesOf(dataDir).includes('started 1'));
  const all = processesOf(second);

  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(all).toHaveLength(5);
  await first.leave();
  expect(all.every(isAlive)).toBe(true);
  await second.leave();

  expect(all.filter(isAlive)).toEqual([]);
  expect(notesOf(dataDir)).toContain('stopped 1');
});

test('a killed worker, Temporal and Postgres come back by themselves, at the same addresses', async () => {
  const dataDir = aDataFolder();
  const said: string[] = [];
  const servers = await open(dataDir, { say: (line) => said.push(line) });
  const before = processesOf(servers);
  await ask(servers, 'create table kept as select 42 as answer');

  const { postgres, temporal, workers } = servers.ownPids();
  for (const pid of [postgres, temporal, ...workers]) process.kill(pid ?? 0, 'SIGKILL');
  await until(() => isWhole(servers) && !before.slice(1).some(isAlive));

  expect(await ask(servers, 'select answer from kept')).toEqual([{ answer: 42 }]);
  expect(await isHealthy(servers.temporal?.address ?? '', 'default')).toBe(true);
  expect(said).toContain('Postgres is back');
  await servers.leave();
});

test('a client that is killed is a client that has left', async () => {
  const dataDir = aDataFolder();
  const client = spawn(process.execPath, [...fileArguments(holdServers), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(client.stdout, 'data')) as [Buffer];
  const { supervisor, postgres } = JSON.parse(String(line)) as OwnPids;
  const all = [supervisor, postgres ?? 0].map(identify).filter((id) => id !== undefined);
  expect(all).toHaveLength(2);

  client.kill('SIGKILL');

  await until(() => !all.some(isAlive));
});

test('after a kill of everything the next start finds the lock stale, and the ports again', async () => {
  const dataDir = aDataFolder();
  const first = await open(dataDir);
  for (const id of processesOf(first)) signalProcess(id, 'SIGKILL');
  await first.lost;

  const second = await open(dataDir, { workers: 0 });

  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(second.uiUrl).toBe(first.uiUrl);
  expect(await ask(second, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  await second.leave();
});

test('when the supervisor alone is killed its workers leave, and the next start takes the servers over', async () => {
  const dataDir = aDataFolder();
  const first = await open(dataDir);
  await until(() => notesOf(dataDir).includes('started 0'));
  const [supervisor, ...children] = processesOf(first);
  if (supervisor !== undefined) signalProcess(supervisor, 'SIGKILL');
  await until(() => notesOf(dataDir).includes('orphaned 0'));

  const second = await open(dataDir, { need: 'database' });

  expect(children.filter(isAlive)).toEqual([]);
  expect(second.databaseUrl).toBe(first.databaseUrl);
  await second.leave();
});

test('detached servers outlive their last client and its terminal, say who they are, and end when asked to', async () => {
  const dataDir = aDataFolder();
  const first = await open(dataDir);
  const all = processesOf(first);
  first.detach();
  expect(await first.leave()).toEqual({ stopped: false });
  const [supervisor] = all;
  if (supervisor !== undefined) signalProcess(supervisor, 'SIGHUP');

  const found = await findServers(dataDir);
  expect(found?.servers).toMatchObject({
    supervisor: supervisor?.pid,
    detached: true,
    clients: [],
    postgres: { kind: 'embedded', pid: all[1]?.pid },
    temporal: { kind: 'embedded', pid: all[2]?.pid },
    uiUrl: first.uiUrl,
    workers: [all[3]?.pid],
  });

  const second = await open(dataDir, { need: 'database' });
  expect((await findServers(dataDir))?.servers.clients).toEqual([process.pid]);
  expect(await endServers(dataDir)).toBe('supervisor');
  expect(await second.lost).toBe('ended');
  expect(all.filter(isAlive)).toEqual([]);
  expect(await findServers(dataDir)).toBeUndefined();
  expect(await endServers(dataDir)).toBe('nothing');
});

test('what a killed supervisor left running is ended when asked to', async () => {
  const dataDir = aDataFolder();
  const first = await open(dataDir, { workers: 0 });
  first.detach();
  const [supervisor, ...servers] = processesOf(first);
  if (supervisor !== undefined) signalProcess(supervisor, 'SIGKILL');
  expect(await first.lost).toBe('killed');

  expect(await endServers(dataDir)).toBe('leftovers');

  expect(servers).toHaveLength(2);
  expect(servers.filter(isAlive)).toEqual([]);
});

test('a client hears of a wish for another port than its servers have', async () => {
  const dataDir = aDataFolder();
  const first = await open(dataDir, { need: 'database' });
  const { port } = new URL(first.databaseUrl);
  const config = loadConfig({
    ...process.env,
    DECORUM_POSTGRES_PORT: String(Number(port) + 1),
  });

  const opening = open(dataDir, { need: 'database', config });

  await expect(opening).rejects.toThrow(`runs on port ${port} already`);
  await first.leave();
});

function aDataFolder(): string {
  // Private, as mkdtemp makes it: what root finds in its own home.
  const parent = mkdtempSync(join(tmpdir(), 'decorum-supervision-'));
  const dataDir = join(parent, 'data');
  mkdirSync(dataDir);
  onTestFinished(async () => {
    const { folder } = await postgresHome(dataDir);
    rmSync(folder, { recursive: true, force: true });
    rmSync(parent, { recursive: true, force: true });
  });
  return dataDir;
}

async function open(
  dataDir: string,
  { need = 'everything', workers = 1, say = () => undefined, ...rest }: Partial<ServersOrder> = {},
): Promise<Servers> {
  const servers = await openServers({
    ...rest,
    ...{ dataDir, need, workers, say, workerEntry: standIn },
  });
  onTestFinished(async () => {
    await servers.leave();
  });
  return servers;
}

/** The supervisor first. */
function processesOf(servers: Servers): readonly ProcessId[] {
  const { supervisor, postgres, temporal, workers } = servers.ownPids();
  return [supervisor, postgres, temporal, ...workers]
    .map((pid) => (pid === undefined ? undefined : identify(pid)))
    .filter((id) => id !== undefined);
}

function isWhole(servers: Servers): boolean {
  const { postgres, temporal, workers } = servers.ownPids();
  return postgres !== undefined && temporal !== undefined && workers.length === 1;
}

async function ask({ databaseUrl }: Servers, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function notesOf(dataDir: string): string {
  const file = join(dataDir, 'warc', 'stand-in.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Waits as long as the test may; what never comes true fails it by its time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(50);
}
