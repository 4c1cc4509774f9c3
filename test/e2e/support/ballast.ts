import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { freeBytesOf } from '../../../store/disk-room.ts';

/** What a test takes of the disk for a while; so large that other programs hardly matter beside it. */
export const BALLAST_BYTES = 1_500_000_000;

/** Free bytes of the disk of the tests' folders. @throws Error where it hasn't room for the ballast and the test. */
export async function freeForBallast(): Promise<number> {
  const freeBytes = await freeBytesOf(tmpdir());
  if (freeBytes > 2 * BALLAST_BYTES) return freeBytes;
  throw new Error(
    `${tmpdir()} has ${freeBytes} bytes free, and this test needs ${2 * BALLAST_BYTES}: make room, or set TMPDIR`,
  );
}

/** Takes room on the disk; the function that comes back gives it up again, as does the test's end. */
export async function takeRoom(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-ballast-'));
  const giveUp = (): Promise<void> => rm(dir, { recursive: true, force: true });
  onTestFinished(giveUp);
  await promisify(execFile)('fallocate', ['-l', String(BALLAST_BYTES), join(dir, 'ballast')]);
  return giveUp;
}
