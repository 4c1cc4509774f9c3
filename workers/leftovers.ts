import { readRecord, type DataFolder } from './data-folder.ts';
import { stopLeftoverPostgres } from './embedded-postgres.ts';
import { takeLock } from './file-lock.ts';
import { endProcess, isAlive } from './processes.ts';
import { stopLeftoverTemporal } from './temporal-server.ts';
import { STOP_WORKER } from './worker-process.ts';

/** Ends the workers and the Temporal that a killed supervisor left; Postgres sees to its own before each start. */
export async function stopOrphans(folder: DataFolder): Promise<void> {
  const { workers = [] } = readRecord(folder);
  const alive = workers.filter(isAlive);
  await Promise.all(alive.map((worker) => endProcess(worker, STOP_WORKER)));
  await stopLeftoverTemporal(folder.temporalFile);
}

/**
 * Ends all that a killed supervisor left running, Postgres too, while no other owns the folder; `false` where there was
 * nothing, or one owns it.
 */
export async function stopLeftovers(folder: DataFolder): Promise<boolean> {
  const { workers = [], temporal, postgres } = readRecord(folder);
  const left = [...workers, temporal, postgres].filter((it) => it !== undefined);
  if (!left.some(isAlive)) return false;
  const lock = await takeLock(folder.lockFile);
  if (lock.kind === 'held') return false;
  try {
    await stopOrphans(folder);
    await stopLeftoverPostgres(folder.path);
    return true;
  } finally {
    await lock.release();
  }
}
