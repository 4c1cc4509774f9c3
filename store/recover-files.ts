import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { slotOfFile } from './file-name.ts';
import { endOfWholeMembers } from './gzip-members.ts';
import { markerOf, removeMarker } from './warc-file.ts';

/** What recovery did to one file that a kill left open. */
export interface RecoveredFile {
  readonly file: string;
  /** Bytes of an unfinished record, or of several, that were cut off its end. */
  readonly cutBytes: number;
}

/**
 * Makes the files whole that a killed process of these slots (of any slot, where none is named) left open: what comes
 * after the last whole record is cut off, then the marker removed. No settled page can lie in the cut part, as a
 * settle comes after the fsync (R41). Must not run while another process writes under such a slot.
 */
export async function recoverWarcFiles(
  dir: string,
  slots: string | ((slot: string) => boolean) = () => true,
): Promise<readonly RecoveredFile[]> {
  const recovered: RecoveredFile[] = [];
  const isMeant = typeof slots === 'string' ? (slot: string) => slot === slots : slots;
  for (const file of await markedFiles(dir, isMeant)) {
    recovered.push({ file, cutBytes: await cutTail(join(dir, file)) });
    await removeMarker(dir, file);
  }
  return recovered;
}

const MARKER_SUFFIX = markerOf('');

async function markedFiles(
  dir: string,
  isMeant: (slot: string) => boolean,
): Promise<readonly string[]> {
  const names = await readdir(dir);
  return names
    .filter((name) => name.endsWith(MARKER_SUFFIX))
    .map((name) => name.slice(0, -MARKER_SUFFIX.length))
    .filter((name) => isMeant(slotOfFile(name) ?? ''))
    .sort();
}

/** A file with no whole record at all, not even its warcinfo, is removed. */
async function cutTail(path: string): Promise<number> {
  const sizeBytes = await sizeOf(path);
  if (sizeBytes === undefined) return 0;
  const wholeBytes = await endOfWholeMembers(path);
  if (wholeBytes === 0) {
    await rm(path);
    return sizeBytes;
  }
  if (wholeBytes < sizeBytes) await truncate(path, wholeBytes);
  return sizeBytes - wholeBytes;
}

/** Absent: the kill fell between the making of the marker and of the file. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function truncate(path: string, lengthBytes: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(lengthBytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
