import type { Config } from './config.ts';
import { readRecord, type DataFolder, type RememberedPorts } from './data-folder.ts';
import { startPostgres, type OwnPostgres } from './embedded-postgres.ts';
import { keepRunning, type Kept, type KeptEvent } from './keep-running.ts';
import { rotatedLog } from './log-files.ts';
import type { Logger } from './logger.ts';
import type { PortWish } from './ports.ts';
import { startTemporalServer, type OwnTemporal } from './temporal-server.ts';
import { startWorker, type OwnWorker } from './worker-process.ts';

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

/** The folder's Postgres, kept running on the wished port, else on that of the last run where it is free. */
export function keepPostgres(
  options: SupervisionOptions,
  wished: number | undefined,
): Promise<Kept<OwnPostgres>> {
  const { folder, say } = options;
  const remembered = readRecord(folder).ports.postgres;
  say('starting Postgres');
  return keepRunning(
    (first) =>
      startPostgres({
        dataDir: folder.path,
        port: portOf(first?.port ?? wished, remembered),
        logFile: rotatedLog(folder.logs, 'postgres'),
        say,
      }),
    reporter(options, 'Postgres'),
  );
}

/** The folder's Temporal, likewise, by the named command line. */
export function keepTemporal(
  options: SupervisionOptions,
  cli: string | undefined,
  wished: RememberedPorts,
): Promise<Kept<OwnTemporal>> {
  const { folder, say } = options;
  const { temporal, temporalUi } = readRecord(folder).ports;
  if (cli === undefined) throw new Error('No Temporal command line was named');
  say('starting Temporal');
  return keepRunning(
    (first) =>
      startTemporalServer({
        cli,
        databaseFile: folder.temporalFile,
        port: portOf(first?.port ?? wished.temporal, temporal),
        uiPort: portOf(first?.uiPort ?? wished.temporalUi, temporalUi),
        logFile: rotatedLog(folder.logs, 'temporal'),
      }),
    reporter(options, 'Temporal'),
  );
}

/** The servers that a worker works with. */
export interface WorkerServers {
  readonly databaseUrl: string;
  readonly address: string;
  readonly namespace: string;
}

/**
 * For glibc: an arena for each thread and core, and large pieces amid small ones, keep memory from being given back.
 * With this and V8's smaller nurseries a worker of 400 live hosts took 218 to 258 MB instead of 311 (bench/memory.ts).
 */
const FRUGAL_MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' };

/**
 * Each of a worker's threads has a nursery of its own, by default of three times 16 MB; and V8 lets an old heap grow to a
 * multiple of what lives in it before it collects. With 30 % in place of that, 2,000 live hosts took 542 MB, not 631.
 */
const FRUGAL_V8 = ['--max-semi-space-size=4', '--heap-growing-percent=30'];

/** One worker process, kept running. */
export function keepWorker(
  options: SupervisionOptions,
  slot: number,
  { databaseUrl, address, namespace }: WorkerServers,
): Promise<Kept<OwnWorker>> {
  const { folder, config, workerArguments, say } = options;
  const environment = {
    ...FRUGAL_MALLOC,
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
    () =>
      startWorker([...FRUGAL_V8, ...workerArguments], environment, rotatedLog(folder.logs, name)),
    reporter(options, `worker ${slot}`),
  );
}

/** Where others know the address, at a restart or by a wish, only that port serves. */
function portOf(only: number | undefined, remembered: number | undefined): PortWish {
  return only === undefined ? { wanted: remembered } : { wanted: only, only: true };
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
