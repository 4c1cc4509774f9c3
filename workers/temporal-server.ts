import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type PortWish } from './ports.ts';
import { endProcess, identify, processesWith, type ProcessId } from './processes.ts';

/** What to start. */
export interface TemporalServerOrder {
  /** The Temporal command line, from `findTemporalCli`. */
  readonly cli: string;
  /** The SQLite file with every workflow; made where it is missing. */
  readonly databaseFile: string;
  readonly port?: PortWish;
  /** The same one each time, so that the address of the web UI stays. */
  readonly uiPort?: PortWish;
  readonly logFile: string;
}

/** A Temporal dev server of our own. */
export interface OwnTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  readonly port: number;
  readonly uiPort: number;
  readonly process: ProcessId;
  /** Resolves when the server ends, whatever the reason. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts Temporal's dev server on a file and returns once it answers. A server that an earlier, killed supervisor
 * left on the same file is stopped before.
 */
export async function startTemporalServer(order: TemporalServerOrder): Promise<OwnTemporal> {
  await stopLeftoverTemporal(order.databaseFile);
  const port = await freePort(order.port ?? {});
  const uiPort = await freePort(order.uiPort ?? {});
  const child = spawnServer(order, port, uiPort);
  const ended = once(child, 'exit').then(() => undefined);
  const server = await serverProcess(child);
  const address = `127.0.0.1:${port}`;
  try {
    await untilHealthy(address, child, order.logFile);
  } catch (error) {
    await endProcess(server, STOP);
    throw error;
  }
  return {
    address,
    namespace: NAMESPACE,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    port,
    uiPort,
    process: server,
    ended,
    stop: () => endProcess(server, STOP),
  };
}

/** Stops whatever dev server still runs on the file. */
export async function stopLeftoverTemporal(databaseFile: string): Promise<void> {
  const servers = processesWith(`--db-filename ${databaseFile} `);
  await Promise.all(servers.map((server) => endProcess(server, STOP)));
}

/** The one that the dev server always has. */
const NAMESPACE = 'default';
const STARTING_LIMIT_MS = 120_000;
const STOP = [
  { signal: 'SIGTERM', waitMs: 15_000 },
  { signal: 'SIGKILL', waitMs: 10_000 },
] as const;

const DYNAMIC_CONFIG = {
  // By default one node is capped at about 200 pages a second of single-page visits.
  'matching.rps': 100_000,
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'history.rps': 100_000,
  // By default a timer under 1 s fires up to 0.8 s late; with this all fire about 17 ms late.
  'history.timerProcessorMaxTimeShift': '50ms',
} as const;

function spawnServer(
  { cli, databaseFile, logFile }: TemporalServerOrder,
  port: number,
  uiPort: number,
): ChildProcess {
  const flags = [
    ...['server', 'start-dev', '--db-filename', databaseFile],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
    ...['--ip', '127.0.0.1', '--port', String(port)],
    ...['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort), '--ui-disable-news-fetch'],
    ...['--search-attribute', 'CrawlHost=Keyword', '--search-attribute', 'CrawlState=Keyword'],
    ...['--log-level', 'warn', '--disable-config-env', '--disable-config-file'],
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([name, value]) => [
      '--dynamic-config-value',
      `${name}=${JSON.stringify(value)}`,
    ]),
  ];
  const log = openSync(logFile, 'a');
  try {
    return spawn(cli, flags, {
      cwd: dirname(databaseFile),
      // A fresh environment: no profile or log setting of the user's reaches our server.
      env: {},
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
  if (found === undefined) throw new Error('Temporal ended at once');
  return found;
}

/** Time for a server to end that found its port taken: then it was another's that answered. Our choice. */
const SETTLING_MS = 300;

async function staysAlive(child: ChildProcess): Promise<boolean> {
  await sleep(SETTLING_MS);
  return child.exitCode === null && child.signalCode === null;
}

async function untilHealthy(address: string, child: ChildProcess, logFile: string): Promise<void> {
  // Loaded when needed: a command that only reads the database must not wait for Temporal's client.
  const { isHealthy } = await import('./temporal-service.ts');
  const deadline = performance.now() + STARTING_LIMIT_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    if ((await isHealthy(address, NAMESPACE)) && (await staysAlive(child))) return;
    await sleep(100);
  }
  throw new Error(`Temporal did not start: see ${logFile}`);
}
