import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../db/migrate.ts';
import { startPostgres, stopLeftoverPostgres } from '../../workers/embedded-postgres.ts';
import { identify, isAlive, type ProcessId } from '../../workers/processes.ts';
import { stopLeftoverTemporal } from '../../workers/temporal-server.ts';
import { serveTemporal, temporalFileIn } from './temporal-on-demand.ts';

/** The database that every test's own is cloned from: migrated once, then closed to connections. */
export const TEMPLATE = 'decorum_template';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's Postgres, at its maintenance database. */
    readonly postgresUrl: string;
    /** Asked over HTTP, it answers the address of the run's Temporal server, starting it the first time. */
    readonly temporalStarterUrl: string;
  }
}

/** One Postgres for the whole run, and one Temporal for those tests that want it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await sweepDeadRuns();
  const folder = makeFolder();
  const postgres = await startPostgres({
    dataDir: folder,
    logFile: join(folder, 'postgres.log'),
    throwaway: true,
  });
  await makeTemplate(postgres.databaseUrl);
  const temporal = await serveTemporal(folder);
  project.provide('postgresUrl', postgres.databaseUrl);
  project.provide('temporalStarterUrl', temporal.url);

  return async () => {
    await temporal.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

const PREFIX = 'decorum-test-run-';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // Passable for the account that Postgres runs as; what lies inside keeps its own modes.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(identify(process.pid)));
  return folder;
}

/** Clears up after runs that were killed. */
async function sweepDeadRuns(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const run = ownerOf(folder);
    if (run === undefined || isAlive(run)) continue;
    await stopLeftoverTemporal(temporalFileIn(folder));
    await stopLeftoverPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function ownerOf(folder: string): ProcessId | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as ProcessId;
  } catch {
    return undefined;
  }
}

async function makeTemplate(postgresUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE}`);
    const url = new URL(postgresUrl);
    url.pathname = `/${TEMPLATE}`;
    await migrate(url.href);
    await client.query(`alter database ${TEMPLATE} with is_template true allow_connections false`);
  } finally {
    await client.end();
  }
}
