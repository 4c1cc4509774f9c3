import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ProcessId } from './processes.ts';
import { BadInput } from './server-errors.ts';

/** The places in a data folder (`.decorum/`), all absolute. */
export interface DataFolder {
  readonly path: string;
  readonly logs: string;
  readonly warc: string;
  /** Names the supervisor that owns the folder. */
  readonly lockFile: string;
  /** What runs now, and which ports to take again; readable by its owner only, as it holds a key. */
  readonly recordFile: string;
  readonly temporalFile: string;
}

/** What a supervisor leaves on disk: for clients, and for its successor after a kill. */
export interface ServersRecord {
  readonly supervisor?: ProcessId;
  /** Loopback port and key of the supervisor's socket. */
  readonly controlPort?: number;
  readonly controlKey?: string;
  readonly postgres?: ProcessId;
  readonly temporal?: ProcessId;
  readonly workers?: readonly ProcessId[];
  readonly ports: RememberedPorts;
}

/** Ports of the last run, wanted again so that addresses stay. */
export interface RememberedPorts {
  readonly postgres?: number;
  readonly temporal?: number;
  readonly temporalUi?: number;
}

/** The places of a data folder, whether it is there or not. */
export function dataFolderAt(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  return {
    path,
    logs: join(path, 'logs'),
    warc: join(path, 'warc'),
    lockFile: join(path, 'supervisor.lock'),
    recordFile: join(path, 'servers.json'),
    temporalFile: join(path, 'temporal.sqlite'),
  };
}

/**
 * Opens a data folder, making what is missing.
 *
 * @throws BadInput where it cannot be made or written.
 */
export function openDataFolder(dataDir: string): DataFolder {
  const folder = dataFolderAt(dataDir);
  try {
    for (const place of [folder.path, folder.logs, folder.warc]) {
      makeFolder(place);
      accessSync(place, constants.W_OK | constants.X_OK);
    }
    return folder;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BadInput(
      `The data folder "${folder.path}" cannot be written (${reason}): allow it, or name another with --data`,
      { cause },
    );
  }
}

/** Node's own recursive one never returns where a file system refuses with ENOENT, as `/proc` does. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another command makes the same folder at the same time.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** The folder's record; empty where there is none, or a power cut spoilt it. */
export function readRecord({ recordFile }: DataFolder): ServersRecord {
  try {
    return { ports: {}, ...(JSON.parse(readFileSync(recordFile, 'utf8')) as object) };
  } catch {
    return { ports: {} };
  }
}

/** Replaces the record at once: a reader sees the old or the new one, never a part. */
export function writeRecord({ recordFile }: DataFolder, record: ServersRecord): void {
  const draft = `${recordFile}.new`;
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, recordFile);
}
