import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { loadConfig, type Config } from '../config.ts';
import { dataFolderAt, readRecord, type DataFolder, type ServersRecord } from '../data-folder.ts';
import { clusterUrl } from '../embedded-postgres.ts';
import { homeThatIs } from '../postgres-home.ts';
import { isAlive } from '../processes.ts';
import { fault, ok, reasonOf, type Finding } from './finding.ts';
import { diskFinding, diskRoomOf, folderFinding, recordFinding } from './folder.ts';
import { installationFindings } from './installation.ts';
import { leftoverFinding, leftoversOf } from './leftover-processes.ts';
import { lockFinding } from './lock.ts';
import { machineFindings } from './machine.ts';
import { portsFinding, takenPorts, wantedPorts } from './ports.ts';
import { examinePostgres, type ExaminedPostgres } from './postgres.ts';
import { temporalCliFinding } from './temporal-cli.ts';
import { warcFinding } from './warc-folder.ts';

export type { Finding } from './finding.ts';

/** What to examine. */
export interface Examination {
  readonly dataDir: string;
  /** Gives another configuration than the environment's. */
  readonly readConfig?: () => Config;
}

/**
 * Looks at everything that Decorum stands on, one finding after another. It starts and ends nothing, takes no lock and
 * writes nothing; what it cannot look at for want of something else it leaves out.
 */
export async function* examine({
  dataDir,
  readConfig = loadConfig,
}: Examination): AsyncGenerator<Finding> {
  const folder = dataFolderAt(dataDir);
  const record = readRecord(folder);
  const { config, finding } = settings(readConfig);
  yield* installationFindings();
  yield finding;
  yield* machineFindings(config.worker.visitsAtOnce);
  yield folderFinding(folder);
  yield recordFinding(folder);
  yield await lockFinding(folder, record);
  yield leftoverFinding(leftoversOf(folder, record));
  yield portsFinding(await takenPorts(config, record), wantedPorts(config, record));
  const database = await examineDatabase(folder, config);
  yield* database.findings;
  const wantedBytes = database.wantedRoomBytes ?? DEFAULT_SETTINGS.minFreeBytes;
  yield diskFinding(await diskRoomOf(folder), wantedBytes);
  yield* await workflowFindings(record, config);
  yield warcFinding(folder.warc, { hasWriters: isSupervised(record) });
}

/** Settings that cannot be read leave the defaults to look on with. */
function settings(readConfig: () => Config): {
  readonly config: Config;
  readonly finding: Finding;
} {
  try {
    return { config: readConfig(), finding: ok('settings', 'the environment is valid') };
  } catch (error) {
    return {
      config: loadConfig({}),
      finding: fault('settings', reasonOf(error), 'correct or unset them'),
    };
  }
}

/**
 * Where the database answers now: the named one, or our own while it runs; `undefined` where it would have to be
 * started first.
 */
export async function runningDatabase(
  dataDir: string,
  config: Config,
): Promise<{ readonly databaseUrl: string; readonly isNamed: boolean } | undefined> {
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) return { databaseUrl, isNamed: true };
  const folder = dataFolderAt(dataDir);
  const { postgres, ports } = readRecord(folder);
  const home = homeThatIs(folder.path);
  if (postgres === undefined || !isAlive(postgres)) return undefined;
  if (home === undefined || ports.postgres === undefined) return undefined;
  return { databaseUrl: await clusterUrl(home, ports.postgres), isNamed: false };
}

async function examineDatabase(folder: DataFolder, config: Config): Promise<ExaminedPostgres> {
  try {
    const target = await runningDatabase(folder.path, config);
    if (target !== undefined) return await examinePostgres(target);
    const home = homeThatIs(folder.path);
    const where = home === undefined ? 'made by the first crawl' : `kept in ${home}`;
    const finding = ok('Postgres', `embedded, ${where}; not running now`);
    return { findings: [finding], wantedRoomBytes: null };
  } catch (error) {
    const remedy = 'run as the account that owns the data folder';
    return { findings: [fault('Postgres', reasonOf(error), remedy)], wantedRoomBytes: null };
  }
}

async function workflowFindings(
  { temporal, ports }: ServersRecord,
  config: Config,
): Promise<readonly Finding[]> {
  const { temporalFinding } = await import('./temporal.ts');
  if (config.temporal !== undefined) {
    return [await temporalFinding(config.temporal, { isNamed: true })];
  }
  const cli = await temporalCliFinding(config.surroundings);
  if (temporal === undefined || ports.temporal === undefined || !isAlive(temporal)) {
    return [cli, ok('Temporal', 'embedded; not running now')];
  }
  const address = `127.0.0.1:${ports.temporal}`;
  const target = { address, namespace: 'default', connection: { address } };
  return [cli, await temporalFinding(target, { isNamed: false })];
}

function isSupervised({ supervisor }: ServersRecord): boolean {
  return supervisor !== undefined && isAlive(supervisor);
}
