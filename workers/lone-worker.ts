import { TASK_QUEUE } from '../workflows/ids.ts';
import type { Config, TemporalTarget } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { boundLogs, rotatedLog } from './log-files.ts';
import { createLogger } from './logger.ts';
import { prepareDatabase } from './prepare-database.ts';
import { serveWorker } from './serve-worker.ts';
import { prepareTemporal } from './temporal-service.ts';
import { takeSlot } from './warc-slots.ts';

/** A worker without a supervisor. */
export interface LoneWorker {
  readonly taskQueue: string;
  /** Its own name in the names of WARC files. */
  readonly slot: string;
  readonly places: { readonly warc: string; readonly log: string };
  /** Serves until told to stop, then finishes its pages in flight. Calls back once it is about to poll. */
  readonly serve: (stopping: AbortSignal, ready: () => void) => Promise<void>;
  /** Gives its slot back. */
  readonly close: () => Promise<void>;
}

/** What a lone worker works with. */
export interface LoneWorkerOrder {
  readonly dataDir: string;
  readonly config: Config;
  readonly databaseUrl: string;
  readonly temporal: TemporalTarget;
}

/**
 * Makes servers that the environment names ready, and takes a slot of the data folder.
 *
 * @throws BadInput where a server refuses, or the folder cannot be written.
 */
export async function openWorker(order: LoneWorkerOrder): Promise<LoneWorker> {
  const { config, databaseUrl, temporal } = order;
  const folder = openDataFolder(order.dataDir);
  await prepareDatabase(databaseUrl, { isNamed: true });
  await prepareTemporal(temporal);
  const { slot, release } = await takeSlot(folder);
  const name = `worker ${slot}`;
  // A dot in a log's name counts its age.
  const logFile = rotatedLog(folder.logs, `worker-${slot.replace('.', '-')}`);
  return {
    taskQueue: TASK_QUEUE,
    slot,
    places: { warc: folder.warc, log: logFile },
    serve: async (stopping, ready) => {
      const bounding = setInterval(boundLogs, BOUND_LOGS_MS, folder.logs);
      const log = createLogger(name, config.logLevel, logFile);
      const { worker: limits } = config;
      const { warc: warcDir } = folder;
      try {
        await serveWorker({
          ...{ databaseUrl, temporal, name, warcDir, slot, limits, log, stopping, ready },
        });
      } finally {
        clearInterval(bounding);
      }
    },
    close: release,
  };
}

const BOUND_LOGS_MS = 60_000;
