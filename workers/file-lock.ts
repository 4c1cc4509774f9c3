import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
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
      if (await tryLink(draft, path)) return ours(path);
      const holder = await holderOf(path);
      if (holder !== undefined && isAlive(holder)) return { kind: 'held', by: holder };
      const heir = await inherit(path, draft, holder);
      if (heir === 'me') return ours(path);
      if (heir !== undefined) return { kind: 'held', by: heir };
    }
  } finally {
    await rm(draft, { force: true });
  }
}

function ours(path: string): LockAnswer {
  return { kind: 'ours', release: () => unlink(path) };
}

/** Who holds the lock now; `undefined` where nobody does, or its file says nothing readable. */
export async function holderOf(path: string): Promise<ProcessId | undefined> {
  return namedIn(await readFile(path, 'utf8').catch(() => ''));
}

/** The same at once, for decisions that must not be overtaken. */
export function holderNow(path: string): ProcessId | undefined {
  try {
    return namedIn(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function namedIn(text: string): ProcessId | undefined {
  try {
    const said = JSON.parse(text) as Partial<ProcessId>;
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

/**
 * Takes over the lock of a dead holder. Who links the file that is named after the dead is the heir, and only the heir
 * may replace the lock; where the heir died over it, the file that is named after both decides, and so on.
 *
 * @returns who has it, or `undefined` where the lock is another's by now: look again.
 */
async function inherit(
  path: string,
  draft: string,
  dead: ProcessId | undefined,
): Promise<ProcessId | 'me' | undefined> {
  const wills: string[] = [];
  let will = `${path}.after`;
  for (let last = dead; ;) {
    will = `${will}-${nameOf(last)}`;
    wills.push(will);
    if (await tryLink(draft, will)) break;
    const heir = await holderOf(will);
    if (heir === undefined) return undefined;
    if (isAlive(heir)) return heir;
    last = heir;
  }
  // An earlier heir may have replaced the lock and taken its will away since we looked.
  const isStillTheDeads = nameOf(await holderOf(path)) === nameOf(dead) && (await exists(path));
  if (isStillTheDeads) await rename(draft, path);
  for (const used of isStillTheDeads ? wills : [will]) await rm(used, { force: true });
  return isStillTheDeads ? 'me' : undefined;
}

/** A name for files; one for all whose lock cannot be read. */
function nameOf(holder: ProcessId | undefined): string {
  if (holder === undefined) return 'unreadable';
  return createHash('sha256').update(JSON.stringify(holder)).digest('hex').slice(0, 12);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
