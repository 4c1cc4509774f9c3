import { recoverWarcFiles } from '../store/recover-files.ts';
import type { Config } from './config.ts';
import { readRecord, type DataFolder, type RememberedPorts } from './data-folder.ts';
import { startPostgres, type OwnPostgres } from './embedded-postgres.ts';
import { keepRunning, type Kept, type KeptEvent, type Running } from './keep-running.ts';
import { rotatedLog } from './log-files.ts';
import type { Logger } from './logger.ts';
import type { PortWish } from './ports.ts';
import { endProcess, isAlive, type ProcessId } from './processes.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { Addresses, Need } from './supervisor-protocol.ts';
import { startTemporalServer, stopLeftoverTemporal, type OwnTemporal } from './temporal-server.ts';
import { startWorker, STOP_WORKER, type OwnWorker } from './worker-process.ts';

/** What a supervision works with. */
export interface SupervisionOptions {
  readonly folder: DataFolder;
  readonly config: Config;
  /** Node's arguments for a worker process. */
  readonly workerArguments: readonly string[];
  readonly log: Logger;
  /** Hears each slow step, and each death and return, as one line for people. */
  readonly say: (line: string) => void;
  /** Called whenever another process runs than before. */
  readonly changed: () => void;
}

/** The processes that run now. */
export interface RunningProcesses {
  readonly postgres?: ProcessId;
  readonly temporal?: ProcessId;
  readonly workers: readonly ProcessId[];
  /** Those of the servers that were started, also while one is being restarted. */
  readonly ports: RememberedPorts;
}

/** The servers and workers of one data folder, kept running until `stop`. */
export interface Supervision {
  /** Starts what is needed and not there yet; calls may overlap. Once started, things stay until `stop`. */
  readonly ensure: (wish: Wish) => Promise<Addresses>;
  readonly running: () => RunningProcesses;
  /** Workers first (they finish their pages), then Temporal, then Postgres. */
  readonly stop: () => Promise<void>;
}

/** What one client needs. */
export interface Wish {
  readonly need: Need;
  /** At least so many worker processes. */
  readonly workers: number;
  /** The Temporal command line, for a server of our own that does not run yet. */
  readonly temporalCli?: string;
}

/** Takes charge of a data folder; first ends what a killed predecessor left running there. */
export async function supervise(options: SupervisionOptions): Promise<Supervision> {
  await stopOrphans(options.folder);
  const { config } = options;
  const workers: Kept<OwnWorker>[] = [];
  let postgres: Kept<OwnPostgres> | undefined;
  let temporal: Kept<OwnTemporal> | undefined;
  const inTurn = oneAtATime();

  const database = once(async () => {
    if (config.databaseUrl === undefined) postgres ??= await keepPostgres(options);
    const databaseUrl = config.databaseUrl ?? postgres?.first.databaseUrl ?? '';
    await prepareDatabase(databaseUrl);
    return databaseUrl;
  });
  const service = once(async (temporalCli: string | undefined) => {
    if (config.temporal !== undefined) {
      const { prepareTemporal } = await import('./temporal-service.ts');
      return prepareTemporal(config.temporal);
    }
    temporal ??= await keepTemporal(options, temporalCli);
    const { address, namespace, uiUrl } = temporal.first;
    return { address, namespace, uiUrl };
  });

  const ensure = async (wish: Wish): Promise<Addresses> => {
    const databaseUrl = await database();
    options.changed();
    if (wish.need === 'database') return { databaseUrl };
    const { uiUrl, ...target } = await service(wish.temporalCli);
    options.changed();
    // Of every slot: this run may have fewer workers than the one that was killed.
    if (workers.length === 0 && wish.workers > 0) await recoverWarcFiles(options.folder.warc);
    while (workers.length < wish.workers) {
      workers.push(await keepWorker(options, workers.length, { databaseUrl, ...target }));
      options.changed();
    }
    return { databaseUrl, temporal: target, ...(uiUrl === undefined ? {} : { uiUrl }) };
  };

  return {
    ensure: (wish) => inTurn(() => ensure(wish)),
    running: () => ({
      ...named('postgres', postgres),
      ...named('temporal', temporal),
      workers: workers.flatMap((worker) => worker.current()?.process ?? []),
      ports: {
        ...(postgres === undefined ? {} : { postgres: postgres.first.port }),
        ...(temporal === undefined ? {} : portsOf(temporal.first)),
      },
    }),
    stop: () =>
      inTurn(async () => {
        // A worker that cannot be ended must not keep the servers from an orderly stop.
        await Promise.allSettled(workers.map((worker) => worker.stop()));
        await temporal?.stop();
        await postgres?.stop();
      }),
  };
}

async function stopOrphans(folder: DataFolder): Promise<void> {
  const { workers = [] } = readRecord(folder);
  const alive = workers.filter(isAlive);
  await Promise.all(alive.map((worker) => endProcess(worker, STOP_WORKER)));
  await stopLeftoverTemporal(folder.temporalFile);
  // Postgres looks for its own leftovers before each start.
}

function keepPostgres(options: SupervisionOptions): Promise<Kept<OwnPostgres>> {
  const { folder, say } = options;
  const { postgres: wanted } = readRecord(folder).ports;
  say('starting Postgres');
  return keepRunning(
    (first) =>
      startPostgres({
        dataDir: folder.path,
        port: portOf(first?.port, wanted),
        logFile: rotatedLog(folder.logs, 'postgres'),
        say,
      }),
    reporter(options, 'Postgres'),
  );
}

function keepTemporal(options: SupervisionOptions, cli?: string): Promise<Kept<OwnTemporal>> {
  const { folder, say } = options;
  const { temporal, temporalUi } = readRecord(folder).ports;
  if (cli === undefined) throw new Error('No Temporal command line was named');
  say('starting Temporal');
  return keepRunning(
    (first) =>
      startTemporalServer({
        cli,
        databaseFile: folder.temporalFile,
        port: portOf(first?.port, temporal),
        uiPort: portOf(first?.uiPort, temporalUi),
        logFile: rotatedLog(folder.logs, 'temporal'),
      }),
    reporter(options, 'Temporal'),
  );
}

function portsOf({ port, uiPort }: OwnTemporal): RememberedPorts {
  return { temporal: port, temporalUi: uiPort };
}

/** At a restart others hold the address already: only the same port serves. */
function portOf(first: number | undefined, remembered: number | undefined): PortWish {
  return first === undefined ? { wanted: remembered } : { wanted: first, only: true };
}

interface WorkerServers {
  readonly databaseUrl: string;
  readonly address: string;
  readonly namespace: string;
}

function keepWorker(
  options: SupervisionOptions,
  slot: number,
  { databaseUrl, address, namespace }: WorkerServers,
): Promise<Kept<OwnWorker>> {
  const { folder, config, workerArguments, say } = options;
  const environment = {
    ...config.surroundings.environment,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    DECORUM_WORKER_SLOT: String(slot),
    DECORUM_WARC_DIR: folder.warc,
  };
  const name = `worker-${slot}`;
  if (slot === 0) say('starting the workers');
  return keepRunning(
    () => startWorker(workerArguments, environment, rotatedLog(folder.logs, name)),
    reporter(options, `worker ${slot}`),
  );
}

function reporter({ log, say, changed }: SupervisionOptions, name: string) {
  let isRestart = false;
  return (event: KeptEvent): void => {
    log.info({ process: name, ...event }, `a process ${event.kind}`);
    if (event.kind === 'ended') say(`${name} has died: starting it again`);
    if (event.kind === 'started' && isRestart) say(`${name} is back`);
    if (event.kind === 'failed')
      say(`${name} cannot start (${reasonOf(event.error)}): trying again`);
    isRestart = true;
    changed();
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function named<K extends string>(
  name: K,
  kept: Kept<Running & { readonly process: ProcessId }> | undefined,
): Partial<Record<K, ProcessId>> {
  const running = kept?.current();
  return (running === undefined ? {} : { [name]: running.process }) as Partial<
    Record<K, ProcessId>
  >;
}

/** Runs pieces of work one after another, whatever became of the one before. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Remembers the first result; after a failure the next call tries again. */
function once<A extends readonly unknown[], T extends object | string>(
  work: (...values: A) => Promise<T>,
): (...values: A) => Promise<T> {
  let result: T | undefined;
  return async (...values) => (result ??= await work(...values));
}
