import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { connectDatabase } from '../db/pool.ts';
import { openWarcStore } from '../store/warc-store.ts';
import { createParsePool } from '../web/parse-pool.ts';
import { createResolver, type Resolver } from '../web/resolver.ts';
import { loadConfig, type TemporalTarget } from './config.ts';
import { createWorker } from './create-worker.ts';
import { hostFeeder } from './host-feeder.ts';
import { createLogger, type Logger } from './logger.ts';

/** Connections of one worker to Postgres; a page needs one for a few milliseconds, three times. Our choice. */
const DATABASE_CONNECTIONS = 20;

/** What a page's parse may cost before it is stopped; our choice. */
const PARSE_LIMITS = { threads: 2, timeLimitMs: 2_000, memoryMb: 256 };

/** One worker process: serves host, prioritizer and crawl workflows until its supervisor goes or tells it to stop. */
async function main(): Promise<void> {
  const { databaseUrl, temporal, worker: own, logLevel } = loadConfig();
  if (databaseUrl === undefined || temporal === undefined) {
    throw new Error('A worker needs DATABASE_URL and TEMPORAL_ADDRESS');
  }
  const log = createLogger(`worker ${String(own.slot)}`, logLevel);
  const stopping = new AbortController();
  // Every visit listens to it.
  setMaxListeners(0, stopping.signal);
  installRuntime(log);

  const db = connectDatabase(databaseUrl, {
    max: DATABASE_CONNECTIONS,
    applicationName: `decorum worker ${String(own.slot)}`,
  });
  const warc = await openWarcStore({ dir: own.warcDir, slot: slotName(own.slot) });
  const parser = createParsePool(PARSE_LIMITS);
  const client = await clientOf(temporal);
  const { worker, connection } = await createWorker(
    temporal,
    {
      db,
      warc,
      parser,
      resolverFor: resolvers(),
      feedHost: hostFeeder(client),
      stopping: stopping.signal,
      robotsCache: new Map(),
      notBefore: new Map(),
      random: Math.random,
      log,
    },
    own,
  );

  whenToldToStop(() => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    worker.shutdown();
  });
  log.info({}, 'worker started');
  await worker.run();
  await Promise.all([warc.close(), parser.close(), db.end()]);
  await connection.close();
  await client.connection.close();
  log.info({}, 'worker stopped');
}

/** Temporal's own log joins ours; process signals are ours, since visits must hear of a shutdown first. */
function installRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log.warn(
        { level, meta: meta === undefined ? undefined : String(meta['error'] ?? '') },
        message,
      );
    }),
  });
}

async function clientOf({ address, namespace, connection }: TemporalTarget): Promise<Client> {
  return new Client({
    connection: await Connection.connect({ ...connection, address }),
    namespace,
  });
}

/** One resolver a list of name servers, each with its own cache. */
function resolvers(): (servers: readonly string[]) => Resolver {
  const byServers = new Map<string, Resolver>();
  return (servers) => {
    const key = servers.join(' ');
    const known = byServers.get(key) ?? createResolver({ servers });
    byServers.set(key, known);
    return known;
  };
}

/** Machines that share a WARC folder must not share file names. */
function slotName(slot: number): string {
  return `${hostname().replaceAll(/[^A-Za-z0-9]/gu, '')}${String(slot)}`;
}

/** SIGTERM, Ctrl-C, or the end of the supervisor, seen by its channel. */
function whenToldToStop(stop: () => void): void {
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  process.stdin.once('end', stop).resume();
}

await main();
process.exit(0);
