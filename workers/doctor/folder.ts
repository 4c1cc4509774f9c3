import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { formatBytes } from '../../domain/byte-size.ts';
import type { DataFolder } from '../data-folder.ts';
import { fault, ok, reasonOf, warning, type Finding } from './finding.ts';

/** Whether the data folder can be used; where there is none, whether it could be made. */
export function folderFinding({ path, logs, warc }: DataFolder): Finding {
  const name = 'data folder';
  if (!existsSync(path)) {
    const above = nearestFolder(path);
    return isWritable(above)
      ? ok(name, `${path} is not there yet; the first crawl makes it`)
      : fault(
          name,
          `${path} is not there, and ${above} cannot be written`,
          'choose another with --data',
        );
  }
  const { uid } = statSync(path);
  const owner = uid === userInfo().uid ? 'yours' : `of uid ${uid}, and you are ${userInfo().uid}`;
  if (!statSync(path).isDirectory())
    return fault(name, `${path} is no folder`, 'choose another with --data');
  const barred = [path, logs, warc].find((place) => existsSync(place) && !isWritable(place));
  return barred === undefined
    ? ok(name, `${path}, ${owner}`)
    : fault(
        name,
        `${barred} cannot be written (${path} is ${owner})`,
        `become its owner (chown), or run as the account that made it`,
      );
}

/** Whether the record of the servers can be read. */
export function recordFinding({ recordFile }: DataFolder): Finding {
  const name = 'servers.json';
  if (!existsSync(recordFile)) return ok(name, 'none yet');
  try {
    JSON.parse(readFileSync(recordFile, 'utf8'));
    return ok(name, recordFile);
  } catch (error) {
    return warning(
      name,
      `${recordFile}: ${reasonOf(error)}`,
      'remove it while nothing runs: the next command makes it anew, and only remembered ports are lost',
    );
  }
}

/** What a file system has left; inodes are `undefined` where it does not count them. */
export interface DiskRoom {
  readonly freeBytes: number;
  readonly freeInodes: number | undefined;
}

/** Below so many times what crawls want, it is worth a word; our choice. */
const AMPLE = 4;
/** Logs, WARC files and Postgres's segments together open so many in a day; our choice. */
const LEAST_INODES = 10_000;

/** Whether a crawl will find room: below `minFreeBytes` it holds itself back. */
export function diskFinding({ freeBytes, freeInodes }: DiskRoom, minFreeBytes: number): Finding {
  const inodes = freeInodes === undefined ? '' : `, ${freeInodes} inodes`;
  const found = `${formatBytes(freeBytes)}${inodes} free; crawls want ${formatBytes(minFreeBytes)}`;
  if (freeBytes < minFreeBytes) {
    return fault('disk', found, 'make room, or choose a data folder on a larger disk (--data)');
  }
  if (freeInodes !== undefined && freeInodes < LEAST_INODES) {
    return warning('disk', found, 'remove small files: the file system can take few more files');
  }
  return freeBytes < AMPLE * minFreeBytes
    ? warning('disk', found, 'make room before long, or choose a data folder on a larger disk')
    : ok('disk', found);
}

/** The room of the data folder, or of where it would be made. */
export async function diskRoomOf({ path }: DataFolder): Promise<DiskRoom> {
  const { bavail, bsize, files, ffree } = await statfs(nearestFolder(path));
  return { freeBytes: bavail * bsize, freeInodes: files === 0 ? undefined : ffree };
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
