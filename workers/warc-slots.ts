import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { recoverWarcFiles } from '../store/recover-files.ts';
import type { DataFolder } from './data-folder.ts';
import { holderNow, takeLock } from './file-lock.ts';
import { isAlive } from './processes.ts';

/** Of a supervisor's worker by its number. Machines that share a WARC folder don't share names. */
export function supervisedSlot(worker: number): string {
  return `${HOST}${worker}`;
}

/** A slot that is this process's own until it is released, or the process ends. */
export interface OwnSlot {
  readonly slot: string;
  readonly release: () => Promise<void>;
}

/**
 * Takes the first slot of this machine that no living `decorum worker` on the folder has: a worker that is started
 * again after a kill thus finds the files that it left open.
 */
export async function takeSlot(folder: DataFolder): Promise<OwnSlot> {
  for (let n = 0; ; n += 1) {
    const slot = `${HOST}.${n}`;
    const lock = await takeLock(lockOf(folder, slot));
    if (lock.kind === 'ours') return { slot, release: lock.release };
  }
}

/**
 * Makes whole what killed workers of any slot left in the folder: this run may have fewer than the one that was killed.
 * Files of a `decorum worker` that lives, or of another machine's, are left to it.
 */
export async function recoverFolder(folder: DataFolder): Promise<void> {
  // Asked once the files are listed: whoever made one of them took its slot before.
  await recoverWarcFiles(folder.warc, (slot) => !isAnothers(folder, slot));
}

const HOST = hostname()
  .replaceAll(/[^A-Za-z0-9]/gu, '')
  .slice(0, 40);

function lockOf({ path }: DataFolder, slot: string): string {
  return join(path, `worker-${slot}.lock`);
}

function isAnothers(folder: DataFolder, slot: string): boolean {
  const lock = lockOf(folder, slot);
  if (!existsSync(lock)) return false;
  // Of a process on another machine nobody here can tell whether it lives.
  if (!slot.startsWith(`${HOST}.`)) return true;
  const holder = holderNow(lock);
  return holder !== undefined && isAlive(holder);
}
