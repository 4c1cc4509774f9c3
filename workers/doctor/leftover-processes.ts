import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder, ServersRecord } from '../data-folder.ts';
import { clusterName } from '../embedded-postgres.ts';
import { clusterIn, homeThatIs } from '../postgres-home.ts';
import { isAlive, processesWith, type ProcessId } from '../processes.ts';
import { ok, warning, type Finding } from './finding.ts';

const NAME = 'leftover processes';

/** A process of the data folder that runs though no supervisor does. */
export interface Leftover {
  readonly what: string;
  readonly pid: number;
}

/** Whether a killed supervisor left servers or workers running. */
export function leftoverFinding(left: readonly Leftover[]): Finding {
  if (left.length === 0) return ok(NAME, 'none');
  const named = left.map(({ what, pid }) => `${what} (${pid})`).join(', ');
  return warning(
    NAME,
    `${named}: left by a supervisor that was killed`,
    `nothing to do: the next command ends them; or end them now: kill ${left.map(({ pid }) => pid).join(' ')}`,
  );
}

/**
 * Servers and workers of a folder that nobody supervises: those of the record that still live (by pid and start time),
 * and any that was started on the folder's cluster or Temporal file.
 */
export function leftoversOf(folder: DataFolder, record: ServersRecord): readonly Leftover[] {
  const { supervisor, postgres, temporal, workers = [] } = record;
  if (supervisor !== undefined && isAlive(supervisor)) return [];
  const found = new Map<number, string>();
  const note = (what: string, processes: readonly ProcessId[]): void => {
    for (const { pid } of processes) if (!found.has(pid)) found.set(pid, what);
  };
  note('Postgres', [...alive([postgres]), ...clusterProcesses(folder)]);
  note('Temporal', [
    ...alive([temporal]),
    ...processesWith(`--db-filename ${folder.temporalFile} `),
  ]);
  note('a worker', alive(workers));
  return [...found].map(([pid, what]) => ({ what, pid }));
}

function alive(processes: readonly (ProcessId | undefined)[]): readonly ProcessId[] {
  return processes.filter((it) => it !== undefined).filter(isAlive);
}

function clusterProcesses({ path }: DataFolder): readonly ProcessId[] {
  const home = homeThatIs(path);
  if (home === undefined) return [];
  const started = processesWith(`cluster_name=${clusterName(home)}`);
  // Of a main process whose command line cannot be read, the file that it keeps still tells.
  const pid = postmasterOf(home);
  return started.length > 0 || pid === undefined
    ? started
    : processesWith(clusterIn(home)).filter((it) => it.pid === pid);
}

function postmasterOf(home: string): number | undefined {
  try {
    const [line] = readFileSync(join(clusterIn(home), 'postmaster.pid'), 'utf8').split('\n');
    return Number(line);
  } catch {
    return undefined;
  }
}
