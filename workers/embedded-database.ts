import type { Config } from './config.ts';
import { openDataFolder, readRecord } from './data-folder.ts';
import { startPostgres } from './embedded-postgres.ts';
import { findServers } from './enquiry.ts';
import { takeLock } from './file-lock.ts';
import { stopOrphans } from './leftovers.ts';
import { rotatedLog } from './log-files.ts';
import { BadInput } from './server-errors.ts';
import { requireFreePorts, wishedPorts } from './wished-ports.ts';

/** Whose database to open, and who hears of slow steps. */
export interface DatabaseOrder {
  readonly dataDir: string;
  readonly config: Config;
  readonly say: (line: string) => void;
}

/**
 * Works on a data folder's database as it is, not brought up to date as `openServers` does: the one that the
 * environment names, the one that runs, or one started for this alone and stopped afterwards.
 *
 * @throws BadInput where the folder's servers are just coming or going.
 */
export async function withBareDatabase<T>(
  { dataDir, config, say }: DatabaseOrder,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== undefined) return work(config.databaseUrl);
  const running = await findServers(dataDir);
  if (running?.databaseUrl !== undefined) return work(running.databaseUrl);

  const folder = openDataFolder(dataDir);
  const lock = await takeLock(folder.lockFile);
  if (lock.kind === 'held') {
    throw new BadInput(
      `The servers of "${folder.path}" are being started or stopped (pid ${lock.by.pid}): try again in a moment`,
    );
  }
  try {
    await stopOrphans(folder);
    const { postgres: wished } = wishedPorts(config, 'database');
    if (wished !== undefined) await requireFreePorts({ postgres: wished });
    say('starting Postgres');
    const postgres = await startPostgres({
      dataDir: folder.path,
      port: { wanted: wished ?? readRecord(folder).ports.postgres },
      logFile: rotatedLog(folder.logs, 'postgres'),
      say,
    });
    try {
      return await work(postgres.databaseUrl);
    } finally {
      await postgres.stop();
    }
  } finally {
    await lock.release();
  }
}
