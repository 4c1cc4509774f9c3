import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, type PortWish } from './ports.ts';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { clusterIn, postgresHome, SHARED_CACHE, type PostgresHome } from './postgres-home.ts';
import { endProcess, identify, processesWith, within, type ProcessId } from './processes.ts';

/** What to start. */
export interface PostgresOrder {
  /** The data folder; the cluster lies in it, or elsewhere where its account cannot go there. */
  readonly dataDir: string;
  readonly port?: PortWish;
  /** Where the server writes its log. */
  readonly logFile: string;
  /** For tests: gives up safety against a power cut for speed. */
  readonly throwaway?: boolean;
  /** Hears one line before each slow step. */
  readonly say?: (line: string) => void;
}

/** A PostgreSQL server of our own. */
export interface OwnPostgres {
  /** With its password. */
  readonly databaseUrl: string;
  readonly port: number;
  readonly process: ProcessId;
  /** Resolves when the server's main process ends, whatever the reason. */
  readonly ended: Promise<void>;
  /** Ends connections, writes a checkpoint, stops the server. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the data folder's PostgreSQL, making it first where there is none; returns once it answers. What an earlier
 * server of the same folder left running, whole or only some backends after a kill, is stopped before: two sets of
 * processes on one cluster would destroy it.
 */
export async function startPostgres(order: PostgresOrder): Promise<OwnPostgres> {
  const home = await postgresHome(order.dataDir);
  const binaries = await postgresBinaries(home.account, SHARED_CACHE);
  if (!existsSync(clusterIn(home.folder))) {
    order.say?.('making a Postgres database');
    await makeCluster(home, binaries, order);
  }
  await stopLeftovers(home);

  const port = await freePort(order.port ?? {});
  const child = spawnServer(home, binaries, port, order);
  const ended = once(child, 'exit').then(() => undefined);
  const server = await serverProcess(child);
  const databaseUrl = await clusterUrl(home.folder, port);
  await untilReady(databaseUrl, child, order.logFile);
  return {
    databaseUrl,
    port,
    process: server,
    ended,
    stop: () => endProcess(server, FAST_SHUTDOWN),
  };
}

/** Stops whatever server still runs on a data folder's cluster, and waits for the last of its backends. */
export async function stopLeftoverPostgres(dataDir: string): Promise<void> {
  await stopLeftovers(await postgresHome(dataDir));
}

/** The file that holds the password of a data folder's Postgres, for its owner's eyes. */
export async function passwordFileOf(dataDir: string): Promise<string> {
  const { folder } = await postgresHome(dataDir);
  return passwordFile(folder);
}

const ROLE = 'decorum';
const DATABASE = 'decorum';

// PostgreSQL: SIGINT is a fast shutdown, SIGQUIT an immediate one (recovery at the next start, nothing lost).
const FAST_SHUTDOWN = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 10_000 },
] as const;

async function makeCluster(
  home: PostgresHome,
  { initdb }: PostgresBinaries,
  { logFile, throwaway = false }: PostgresOrder,
): Promise<void> {
  const draft = `${clusterIn(home.folder)}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  const password = passwordFile(home.folder);
  await writeFile(password, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  if (home.account !== undefined) {
    await chown(draft, home.account.uid, home.account.gid);
    await chown(password, home.account.uid, home.account.gid);
  }

  const flags = [
    `--pgdata=${draft}`,
    `--username=${ROLE}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    ...(throwaway ? ['--no-sync'] : []),
  ];
  const child = spawnAs(home, initdb, flags, logFile);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb failed with code ${code ?? 'none'}: see ${logFile}`);
  // A kill in the middle of initdb leaves only a draft, which the next start throws away.
  await rename(draft, clusterIn(home.folder));
}

function spawnServer(
  home: PostgresHome,
  { postgres }: PostgresBinaries,
  port: number,
  { logFile, throwaway = false }: PostgresOrder,
): ChildProcess {
  const settings: Readonly<Record<string, string>> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Stands in the title of every backend: this is how those of a killed server are found.
    cluster_name: clusterName(home.folder),
    max_connections: '200',
    shared_buffers: `${sharedBuffersMb(ownMemoryBytes())}MB`,
    max_wal_size: '1GB',
    // One query never takes the cores of the workers, nor more shared memory than a small container has.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    log_line_prefix: '%m [%p] %a ',
    log_checkpoints: 'off',
    ...(throwaway ? { fsync: 'off', full_page_writes: 'off' } : {}),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawnAs(home, postgres, ['-D', clusterIn(home.folder), ...flags], logFile);
}

const MB = 1024 ** 2;

/**
 * Postgres' own cache: a sixteenth of the machine's memory, from 128 MB to 1 GB; our choice. The machine's file cache
 * does the rest, and workers need room beside it.
 */
export function sharedBuffersMb(memoryBytes: number): number {
  return Math.round(Math.min(Math.max(memoryBytes / 16 / MB, 128), 1_024));
}

/** The machine's memory, or what a container leaves of it. */
function ownMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function spawnAs(
  home: PostgresHome,
  program: string,
  flags: readonly string[],
  logFile: string,
): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawn(program, flags, {
      ...home.account,
      cwd: home.folder,
      // A fresh environment: no PGDATA or PGOPTIONS of the user's reaches our server.
      env: { LC_ALL: 'C' },
      stdio: ['ignore', log, log],
      // Ctrl-C in a terminal reaches every process of its group; ours ends when we say so.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function serverProcess(child: ChildProcess): Promise<ProcessId> {
  await once(child, 'spawn');
  const found = child.pid === undefined ? undefined : identify(child.pid);
  if (found === undefined) throw new Error('Postgres ended at once');
  return found;
}

async function untilReady(
  databaseUrl: string,
  child: ChildProcess,
  logFile: string,
): Promise<void> {
  // Recovery after a kill may take long; as long as the server lives it is waited for.
  while (child.exitCode === null && child.signalCode === null) {
    if (await makeDatabase(databaseUrl)) return;
    await sleep(30);
  }
  throw new Error(`Postgres ended while starting: see ${logFile}`);
}

/** Connects and makes our database where it is missing; `false` while the server does not answer. */
async function makeDatabase(databaseUrl: string): Promise<boolean> {
  const url = new URL(databaseUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      DATABASE,
    ]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
    return true;
  } catch (error) {
    if (isStarting(error)) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function isStarting(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  // 57P03: cannot_connect_now, the server is starting up or in recovery.
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03';
}

/** How to connect to the cluster of a home while it runs on a port. @throws where its password cannot be read. */
export async function clusterUrl(home: string, port: number): Promise<string> {
  const password = (await readFile(passwordFile(home), 'utf8')).trim();
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

function passwordFile(home: string): string {
  return join(home, 'password');
}

/** What the processes of a home's cluster are known by, whoever started them. */
export function clusterName(home: string): string {
  const hash = createHash('sha256').update(clusterIn(home)).digest('hex');
  return `decorum-${hash.slice(0, 12)}`;
}

/** The main process carries the name in its flags, every backend in its title. */
async function stopLeftovers(home: PostgresHome): Promise<void> {
  const name = clusterName(home.folder);
  const servers = processesWith(`cluster_name=${name}`);
  await Promise.all(servers.map((server) => endProcess(server, FAST_SHUTDOWN)));

  const noneLeft = (): boolean => processesWith(`postgres: ${name}:`).length === 0;
  // Backends of a killed server end by themselves once they notice, unless a long query keeps them.
  if (!(await within(5_000, noneLeft))) {
    const backends = processesWith(`postgres: ${name}:`);
    await Promise.all(backends.map((backend) => endProcess(backend, FAST_SHUTDOWN.slice(1))));
  }
  // The killed server's pid may be another program's by now, and PostgreSQL would then refuse to start.
  await rm(join(clusterIn(home.folder), 'postmaster.pid'), { force: true });
}
