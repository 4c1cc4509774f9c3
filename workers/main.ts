import { loadConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { serveWorker } from './serve-worker.ts';
import { supervisedSlot } from './warc-slots.ts';

// One worker process of a supervisor's: serves until its supervisor goes or tells it to stop.

await main();
process.exit(0);

async function main(): Promise<void> {
  const { databaseUrl, temporal, worker: own, logLevel } = loadConfig();
  if (databaseUrl === undefined || temporal === undefined) {
    throw new Error('A worker needs DATABASE_URL and TEMPORAL_ADDRESS');
  }
  const name = `worker ${String(own.slot)}`;
  const stopping = new AbortController();
  whenToldToStop(() => {
    stopping.abort();
  });
  await serveWorker({
    databaseUrl,
    temporal,
    name,
    warcDir: own.warcDir,
    slot: supervisedSlot(own.slot),
    limits: own,
    log: createLogger(name, logLevel),
    stopping: stopping.signal,
  });
}

/** SIGTERM, Ctrl-C, or the end of the supervisor, seen by its channel. */
function whenToldToStop(stop: () => void): void {
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('disconnect', stop);
  process.stdin.once('end', stop).resume();
}
