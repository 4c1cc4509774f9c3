import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { identify, isAlive, type ProcessId } from './processes.ts';

/** The outcome of asking for a lock: ours until `release` or our end, or another living process's. */
export type LockAnswer =
  | { readonly kind: 'ours'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly by: ProcessId };

/**
 * Takes the lock that the file at `path` stands for. The file names its holder by pid and start time, so a lock whose
 * holder was killed is taken over, also when another process has its pid by now.
 */
export async function takeLock(path: string): Promise<LockAnswer> {
  const me = identify(process.pid);
  if (me === undefined) throw new Error('Cannot tell when this process started');
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, JSON.stringify(me));
  try {
    for (;;) {
      if (await tryLink(draft, path)) return { kind: 'ours', release: () => unlink(path) };
      const holder = await holderOf(path);
      if (holder !== undefined && isAlive(holder)) return { kind: 'held', by: holder };
      await breakLock(path, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Who holds the lock now; `undefined` where nobody does, or its file says nothing readable. */
export async function holderOf(path: string): Promise<ProcessId | undefined> {
  try {
    const said = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessId>;
    return said.pid === undefined || said.startedAt === undefined
      ? undefined
      : { pid: said.pid, startedAt: said.startedAt };
  } catch {
    return undefined;
  }
}

/** A link appears whole or not at all: nobody ever reads a lock without its holder's name. */
async function tryLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function breakLock(path: string, dead: ProcessId | undefined): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Another process may have broken it first and hold it already: then it gets its lock back.
  const moved = await holderOf(aside);
  if (moved !== undefined && moved.startedAt !== dead?.startedAt) await tryLink(aside, path);
  await rm(aside, { force: true });
}
