import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { connectDatabase, type Db } from '../../../db/pool.ts';
import { openDataFolder, readRecord, type ServersRecord } from '../../../workers/data-folder.ts';
import { startPostgres, stopLeftoverPostgres } from '../../../workers/embedded-postgres.ts';
import { endProcess, isAlive, type ProcessId } from '../../../workers/processes.ts';
import { stopLeftoverTemporal } from '../../../workers/temporal-server.ts';

/** A data folder of a test's own. */
export interface CrawlFolder {
  readonly path: string;
  readonly temporalFile: string;
  /** Which processes serve the folder now. */
  readonly record: () => ServersRecord;
  /** The WARC files written so far, by name. */
  readonly warcFiles: () => readonly string[];
  /** The end of each log, to be shown where a test fails. */
  readonly logs: () => string;
  /** Asks the folder's Postgres while a command keeps it running. */
  readonly ask: <Row>(sql: string) => Promise<readonly Row[]>;
  /** Starts the folder's Postgres alone, once no command runs any more, and looks into it. */
  readonly lookInto: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
  /** Ends what still runs on the folder and removes it. */
  readonly dispose: () => Promise<void>;
}

/** Makes an empty data folder that the account of Postgres may pass through. */
export function makeCrawlFolder(): CrawlFolder {
  const path = mkdtempSync(join(tmpdir(), 'decorum-e2e-'));
  chmodSync(path, 0o755);
  const folder = openDataFolder(path);
  return {
    path,
    temporalFile: folder.temporalFile,
    record: () => readRecord(folder),
    warcFiles: () => readdirSync(folder.warc, { recursive: true, encoding: 'utf8' }),
    logs: () => endsOfLogs(folder.logs),
    ask: async <Row>(sql: string) => {
      const { ports } = readRecord(folder);
      return withDb(
        urlOf(path, ports.postgres ?? 0),
        async (db) => (await db.query(sql)).rows as Row[],
      );
    },
    lookInto: async (work) => {
      const { supervisor } = readRecord(folder);
      if (supervisor !== undefined && isAlive(supervisor))
        throw new Error('A command still runs here');
      const postgres = await startPostgres({
        dataDir: path,
        logFile: join(folder.logs, 'look.log'),
      });
      try {
        return await withDb(postgres.databaseUrl, work);
      } finally {
        await postgres.stop();
      }
    },
    dispose: async () => {
      const { supervisor, workers = [] } = readRecord(folder);
      await endAll([...(supervisor === undefined ? [] : [supervisor]), ...workers]);
      await stopLeftoverTemporal(folder.temporalFile);
      await stopLeftoverPostgres(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

const LOG_CHARACTERS = 3_000;

const ENDING = [{ signal: 'SIGKILL', waitMs: 10_000 }] as const;

async function endAll(processes: readonly ProcessId[]): Promise<void> {
  for (const one of processes) if (isAlive(one)) await endProcess(one, ENDING);
}

async function withDb<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connectDatabase(url, { max: 2, applicationName: 'decorum test' });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** As the supervisor makes it; a private folder's cluster lies elsewhere, but ours is open to all. */
function urlOf(path: string, port: number): string {
  const password = readFileSync(join(path, 'postgres', 'password'), 'utf8').trim();
  return `postgres://decorum:${password}@127.0.0.1:${port}/decorum`;
}

function endsOfLogs(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map(
      (name) => `--- ${name}\n${readFileSync(join(folder, name), 'utf8').slice(-LOG_CHARACTERS)}`,
    )
    .join('\n');
}
