import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** What a WARC file asks of the disk; a real `FileHandle` is one. */
export type DiskFile = Pick<FileHandle, 'write' | 'datasync' | 'truncate' | 'close'>;

/** A WARC file that is being written, whole up to `sizeBytes` at any moment, also across a crash. */
export interface WarcFile {
  readonly name: string;
  /** Bytes that are safely on disk. */
  readonly sizeBytes: () => number;
  /** Resolves once the bytes are fsynced; a disk error is thrown and leaves the file as it was. */
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Whether a disk error could not be undone: the file must be left to recovery. */
  readonly isBroken: () => boolean;
  /** Whether it may not grow by what was last refused (`EFBIG`), while a next file would surely hold that. */
  readonly isAtLimit: () => boolean;
  /** Closes the file, and removes its marker if the file is whole. */
  readonly close: () => Promise<void>;
}

/** The name of the empty file that stands beside a WARC file while it is written. */
export function markerOf(name: string): string {
  return `${name}.open`;
}

/**
 * Creates a WARC file with its marker and its first record, all fsynced. The marker comes first, so that a kill at any
 * point leaves either nothing or a marked file, which `recoverWarcFiles` makes whole.
 */
export async function createWarcFile(
  dir: string,
  name: string,
  firstRecord: Uint8Array,
): Promise<WarcFile> {
  let disk: FileHandle | undefined;
  try {
    await (await open(join(dir, markerOf(name)), 'wx')).close();
    await syncFolder(dir);
    disk = await open(join(dir, name), 'wx');
    const file = appendTo(name, disk, () => removeMarker(dir, name));
    await file.append(firstRecord);
    await syncFolder(dir);
    return file;
  } catch (error) {
    await disk?.close();
    await rm(join(dir, name), { force: true });
    await removeMarker(dir, name);
    throw error;
  }
}

/** Removes the marker of a file that is whole, for good. */
export async function removeMarker(dir: string, name: string): Promise<void> {
  await rm(join(dir, markerOf(name)), { force: true });
  await syncFolder(dir);
}

/** Makes names that were made or removed in a folder survive a crash of the machine. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Appends to an empty open file; `whenWhole` runs after a close that leaves no broken tail. */
export function appendTo(name: string, disk: DiskFile, whenWhole: () => Promise<void>): WarcFile {
  let sizeBytes = 0;
  let broken = false;
  let atLimit = false;

  async function takeBack(): Promise<void> {
    try {
      await disk.truncate(sizeBytes);
      await disk.datasync();
    } catch {
      // The append's own error is the one to report; the marker stays, and the next start cuts the tail.
      broken = true;
    }
  }

  return {
    name,
    sizeBytes: () => sizeBytes,
    isBroken: () => broken,
    isAtLimit: () => atLimit,
    append: async (bytes) => {
      try {
        await writeFully(disk, bytes, sizeBytes);
        await disk.datasync();
      } catch (error) {
        // Any file may become as large as this one is.
        atLimit = isTooLarge(error) && bytes.length < sizeBytes;
        await takeBack();
        throw new Error(`Can't write ${bytes.length} bytes to ${name}`, { cause: error });
      }
      sizeBytes += bytes.length;
    },
    close: async () => {
      await disk.close();
      if (!broken) await whenWhole();
    },
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EFBIG';
}

/** A nearly full disk takes a part of a write and says so only by the count. */
async function writeFully(disk: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = bytes.length - written;
    const { bytesWritten } = await disk.write(bytes, written, rest, position + written);
    written += bytesWritten;
  }
}
