import { randomUUID } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** What is free to this account on the file system of a folder, in bytes. Knows nothing of quotas. */
export async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** Full, over its quota, or the file as large as it may be: what every further write meets, until somebody makes room. */
const REFUSALS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The error by which the disk itself said that it takes no more, looked for through the causes; else `undefined`. */
export function refusalIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return REFUSALS.has(code) ? error : refusalIn(error.cause);
}

/** As much as one large page takes, in bytes; our choice. */
const TRIAL_BYTES = 8_000_000;

/** Writes a file that nobody sees, and lets it go: the error by which the disk refused it, or `undefined`. */
export async function trialWrite(dir: string): Promise<Error | undefined> {
  const path = join(dir, `.trial-${randomUUID()}`);
  try {
    const file = await open(path, 'wx');
    try {
      // Without its name it is gone with the process, however that ends.
      await rm(path);
      await file.writeFile(Buffer.alloc(TRIAL_BYTES));
      await file.datasync();
    } finally {
      await file.close();
    }
    return undefined;
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
