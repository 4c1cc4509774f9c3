import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openDesk, type Attendance } from './client-desk.ts';
import { loadConfig, type Config } from './config.ts';
import { openDataFolder, readRecord, writeRecord, type DataFolder } from './data-folder.ts';
import { takeLock } from './file-lock.ts';
import { boundLogs, rotatedLog } from './log-files.ts';
import { createLogger } from './logger.ts';
import { identify } from './processes.ts';
import { fileArguments, scriptArguments } from './run-script.ts';
import { BadInput } from './server-errors.ts';
import { supervise, type Supervision } from './supervision.ts';
import { EXIT_LOCK_HELD, type Answer, type Join } from './supervisor-protocol.ts';

// The process that owns a data folder: it starts servers and workers, keeps them running, and stops them when its
// last client has left. Clients spawn it (open-servers.ts); nobody else needs to.

/** How long a supervisor stays that no client comes to. */
const FIRST_CLIENT_MS = 60_000;
const BOUND_LOGS_MS = 60_000;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, 'worker-entry': { type: 'string' } },
  });
  const folder = openDataFolder(values.data ?? '.decorum');
  const lock = await takeLock(folder.lockFile);
  if (lock.kind === 'held') process.exit(EXIT_LOCK_HELD);

  const entry = values['worker-entry'];
  const workerArguments = entry === undefined ? scriptArguments('main') : fileArguments(entry);
  await attend(folder, loadConfig(), workerArguments, lock.release);
}

/** Serves clients until the last one has left, then stops everything and ends this process. */
async function attend(
  folder: DataFolder,
  config: Config,
  workerArguments: readonly string[],
  release: () => Promise<void>,
): Promise<void> {
  const log = createLogger('supervisor', config.logLevel, rotatedLog(folder.logs, 'supervisor'));
  const key = randomBytes(24).toString('base64url');
  const since = new Date();
  let supervision: Supervision | undefined;

  const desk = await openDesk({
    key,
    serve: async (join) => {
      refuseOtherServers(join, config);
      return (await supervising).ensure(join);
    },
    greeting: () => pidsOf(supervision),
    describe: (here) => describe(supervision, since, here),
    lastLeft: () => {
      stop('the last client left');
    },
    end: () => {
      stop('a command ended the servers');
    },
  });
  const say = (line: string): void => {
    log.info({ line }, 'told the clients');
    desk.tellAll({ kind: 'said', line });
  };
  const changed = (): void => {
    desk.tellAll(pidsOf(supervision));
    record(folder, supervision, { controlPort: desk.port, controlKey: key });
  };
  const supervising = supervise({ folder, config, workerArguments, log, say, changed });
  // Each client that asks hears of a failure; unasked it must not end the process.
  supervising.then((it) => (supervision = it)).catch(() => undefined);

  const stop = onceOnly(async (why: string) => {
    log.info({ why }, 'stopping');
    desk.turnAway();
    const failure = await supervising.then((it) => it.stop()).then(nothing, asValue);
    if (failure !== undefined) log.error({ err: failure }, 'not everything stopped');
    writeRecord(folder, { ports: readRecord(folder).ports });
    await release();
    desk.farewell();
    // The farewell gets out first.
    setTimeout(() => process.exit(failure === undefined ? 0 : 1), 20);
  });
  endOn(stop, (error) => {
    log.fatal({ err: error }, 'an error that nobody caught');
  });
  changed();
  setInterval(boundLogs, BOUND_LOGS_MS, folder.logs);
  setTimeout(() => {
    if (desk.isIdle()) stop('no client came');
  }, FIRST_CLIENT_MS);
}

function nothing(): undefined {
  return undefined;
}

function asValue(error: unknown): unknown {
  return error;
}

function endOn(stop: (why: string) => void, hear: (error: Error) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  // The terminal of the first client may close; the others' crawls go on.
  process.on('SIGHUP', () => undefined);
  process.on('uncaughtException', (error) => {
    hear(error);
    stop('an error that nobody caught');
  });
}

function onceOnly(work: (why: string) => Promise<void>): (why: string) => void {
  let begun = false;
  return (why) => {
    if (begun) return;
    begun = true;
    void work(why);
  };
}

/** What a client's environment names must be what runs here: it would crawl into another database than it thinks. */
function refuseOtherServers({ expects }: Join, { databaseUrl, temporal }: Config): void {
  if (expects.databaseUrl === databaseUrl && expects.temporalAddress === temporal?.address) return;
  throw new BadInput(
    'The servers of this data folder were started with another DATABASE_URL or TEMPORAL_ADDRESS: stop the other commands on it first, or choose another data folder',
  );
}

function describe(
  supervision: Supervision | undefined,
  since: Date,
  { clients, detached }: Attendance,
): Answer {
  const { databaseUrl, ...processes } = supervision?.describe() ?? { workers: [] };
  return {
    kind: 'described',
    servers: {
      supervisor: process.pid,
      since: since.toISOString(),
      detached,
      clients,
      ...processes,
    },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  };
}

function pidsOf(supervision: Supervision | undefined): Answer {
  const { postgres, temporal, workers = [] } = supervision?.running() ?? {};
  return {
    kind: 'pids',
    pids: {
      supervisor: process.pid,
      ...(postgres === undefined ? {} : { postgres: postgres.pid }),
      ...(temporal === undefined ? {} : { temporal: temporal.pid }),
      workers: workers.map(({ pid }) => pid),
    },
  };
}

function record(
  folder: DataFolder,
  supervision: Supervision | undefined,
  control: { readonly controlPort: number; readonly controlKey: string },
): void {
  const me = identify(process.pid);
  const before = readRecord(folder);
  // Until the supervision is there, what a killed predecessor noted is still needed to find its orphans.
  const { ports, ...processes } = supervision?.running() ?? before;
  writeRecord(folder, {
    ...processes,
    ...(me === undefined ? {} : { supervisor: me }),
    ...control,
    ports: { ...before.ports, ...ports },
  });
}
