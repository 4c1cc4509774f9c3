import { setMaxListeners } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { watchDisk } from '../activities/disk-watch.ts';
import { RobotsCache } from '../activities/robots-cache.ts';
import { SeenCache } from '../activities/seen-cache.ts';
import { SeenFilters } from '../activities/seen-filters.ts';
import { connectDatabase } from '../db/pool.ts';
import { openWarcStore } from '../store/warc-store.ts';
import { createParsePool } from '../web/parse-pool.ts';
import type { TemporalTarget, WorkerConfig } from './config.ts';
import { createWorker } from './create-worker.ts';
import { hostFeeder } from './host-feeder.ts';
import type { Logger } from './logger.ts';
import { openResolvers } from './resolvers.ts';
import { prioritizerAt } from './prioritizers.ts';

/** Connections of one worker to Postgres; a page needs one for a few milliseconds, three times. Our choice. */
const DATABASE_CONNECTIONS = 20;

/** What a page's parse may cost before it is stopped; our choice. */
const PARSE_LIMITS = { threads: 2, timeLimitMs: 2_000, memoryMb: 256 };

/** What one worker serves with. */
export interface WorkerOrder {
  readonly databaseUrl: string;
  readonly temporal: TemporalTarget;
  /** Shown to Postgres as the name of its connections. */
  readonly name: string;
  readonly warcDir: string;
  /** Nobody else's who writes to that folder. */
  readonly slot: string;
  readonly limits: Pick<WorkerConfig, 'visitsAtOnce' | 'workflowStacks'>;
  readonly log: Logger;
  /** Aborted when it is to finish its pages in flight (25 s at most) and leave. */
  readonly stopping: AbortSignal;
  /** Called once it is about to poll for work. */
  readonly ready?: () => void;
}

/** Serves host, prioritizer and crawl workflows in this process until told to stop. One a process. */
export async function serveWorker(order: WorkerOrder): Promise<void> {
  const { databaseUrl, temporal, log, stopping } = order;
  // Every visit listens to it.
  setMaxListeners(0, stopping);
  installRuntime(log);

  const db = connectDatabase(databaseUrl, {
    max: DATABASE_CONNECTIONS,
    applicationName: `decorum ${order.name}`,
  });
  const seenCache = new SeenCache();
  db.on('error', () => {
    seenCache.clear();
  });
  const warc = await openWarcStore({ dir: order.warcDir, slot: order.slot });
  const parser = createParsePool(PARSE_LIMITS);
  const resolvers = openResolvers(log);
  const client = await clientOf(temporal);
  const { worker, connection } = await createWorker(
    temporal,
    {
      db,
      warc,
      disk: watchDisk({ db, dir: order.warcDir, log, stopping }),
      parser,
      resolverFor: resolvers.resolverFor,
      feedHost: hostFeeder(client),
      prioritizerFor: prioritizerAt,
      stopping,
      robotsCache: new RobotsCache(),
      seenCache,
      seenFilters: new SeenFilters(Math.random),
      notBefore: new Map(),
      http1Origins: new Set(),
      random: Math.random,
      log,
    },
    order.limits,
  );

  log.info({}, 'worker started');
  const running = worker.run();
  if (stopping.aborted) worker.shutdown();
  else
    stopping.addEventListener('abort', () => {
      worker.shutdown();
    });
  order.ready?.();
  await running;
  resolvers.close();
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
