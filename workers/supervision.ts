import type { Config } from './config.ts';
import type { RememberedPorts } from './data-folder.ts';
import { stopLeftoverPostgres, type OwnPostgres } from './embedded-postgres.ts';
import type { Kept, Running } from './keep-running.ts';
import { keepPostgres, keepTemporal, keepWorker, type SupervisionOptions } from './kept-servers.ts';
import { stopOrphans } from './leftovers.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { ProcessId } from './processes.ts';
import type {
  Addresses,
  Need,
  ServerDescription,
  ServersDescription,
} from './supervisor-protocol.ts';
import type { OwnTemporal } from './temporal-server.ts';
import { recoverFolder } from './warc-slots.ts';
import { requireFreePorts, requireSamePorts } from './wished-ports.ts';
import type { OwnWorker } from './worker-process.ts';

export type { SupervisionOptions } from './kept-servers.ts';

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
  /** The same for people, with the servers that the environment names; the database's URL has its password. */
  readonly describe: () => Described;
  /** Workers first (they finish their pages), then Temporal, then Postgres. */
  readonly stop: () => Promise<void>;
}

type Described = Pick<ServersDescription, 'postgres' | 'temporal' | 'uiUrl' | 'workers'> & {
  readonly databaseUrl?: string;
};

/** What one client needs. */
export interface Wish {
  readonly need: Need;
  /** At least so many worker processes. */
  readonly workers: number;
  /** The Temporal command line, for a server of our own that does not run yet. */
  readonly temporalCli?: string;
  /** Of servers of our own: only these serve. */
  readonly ports?: RememberedPorts;
}

/** Takes charge of a data folder; first ends what a killed predecessor left running there. */
export async function supervise(options: SupervisionOptions): Promise<Supervision> {
  await stopOrphans(options.folder);
  const { config } = options;
  const workers: Kept<OwnWorker>[] = [];
  let postgres: Kept<OwnPostgres> | undefined;
  let temporal: Kept<OwnTemporal> | undefined;
  let knownUrl: string | undefined;
  const inTurn = oneAtATime();

  const database = once(async (wished: number | undefined) => {
    if (config.databaseUrl === undefined) postgres ??= await keepPostgres(options, wished);
    const databaseUrl = config.databaseUrl ?? postgres?.first.databaseUrl ?? '';
    await prepareDatabase(databaseUrl, { isNamed: config.databaseUrl !== undefined });
    knownUrl = databaseUrl;
    return databaseUrl;
  });
  const service = once(async (temporalCli: string | undefined, wished: RememberedPorts) => {
    if (config.temporal !== undefined) {
      const { prepareTemporal } = await import('./temporal-service.ts');
      return prepareTemporal(config.temporal);
    }
    temporal ??= await keepTemporal(options, temporalCli, wished);
    const { address, namespace, uiUrl } = temporal.first;
    return { address, namespace, uiUrl };
  });

  /** Before anything is started, so that nothing stays half started. */
  const judgePorts = async (wished: RememberedPorts): Promise<void> => {
    const taken = portsTaken(postgres, temporal);
    requireSamePorts(wished, taken);
    if (wished.postgres !== undefined && postgres === undefined) {
      // It may hold the very port.
      await stopLeftoverPostgres(options.folder.path);
    }
    const open = Object.entries(wished).filter(([name]) => !(name in taken));
    await requireFreePorts(Object.fromEntries(open));
  };

  const ensure = async (wish: Wish): Promise<Addresses> => {
    const ports = wish.ports ?? {};
    await judgePorts(ports);
    const databaseUrl = await database(ports.postgres);
    options.changed();
    if (wish.need === 'database') return { databaseUrl };
    const { uiUrl, ...target } = await service(wish.temporalCli, ports);
    options.changed();
    if (workers.length === 0 && wish.workers > 0) await recoverFolder(options.folder);
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
      ports: portsTaken(postgres, temporal),
    }),
    describe: () => ({
      ...described('postgres', postgres, externalPostgres(config)),
      ...described('temporal', temporal, config.temporal?.address),
      ...(temporal === undefined ? {} : { uiUrl: temporal.first.uiUrl }),
      workers: workers.flatMap((worker) => worker.current()?.process.pid ?? []),
      ...(knownUrl === undefined ? {} : { databaseUrl: knownUrl }),
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

function portsTaken(
  postgres: Kept<OwnPostgres> | undefined,
  temporal: Kept<OwnTemporal> | undefined,
): RememberedPorts {
  return {
    ...(postgres === undefined ? {} : { postgres: postgres.first.port }),
    ...(temporal === undefined
      ? {}
      : { temporal: temporal.first.port, temporalUi: temporal.first.uiPort }),
  };
}

function externalPostgres({ databaseUrl }: Config): string | undefined {
  if (databaseUrl === undefined) return undefined;
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

function described<K extends string>(
  name: K,
  kept: Kept<Running & { readonly process: ProcessId; readonly port: number }> | undefined,
  external: string | undefined,
): Partial<Record<K, ServerDescription>> {
  if (kept === undefined && external === undefined) return {};
  const pid = kept?.current()?.process.pid;
  const said: ServerDescription =
    kept === undefined
      ? { kind: 'external', address: external ?? '' }
      : { kind: 'embedded', ...(pid === undefined ? {} : { pid }), port: kept.first.port };
  return { [name]: said } as Partial<Record<K, ServerDescription>>;
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
