import { constants } from 'node:fs';
import { access, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../errors.ts';
import type { CommandIo } from '../io.ts';

/** Where an export goes. */
export interface ExportSink {
  /** Resolves once the text has been taken, so that nothing piles up before a slow reader. */
  readonly write: (text: string) => Promise<void>;
  /** Makes what was written the whole export. */
  readonly finish: () => Promise<void>;
  /** Leaves no half of an export behind; a finished one stays. */
  readonly abandon: () => Promise<void>;
}

/** Standard output. `stopped` ends the wait for a reader that stands still or has gone. */
export function standardOutput({ stdout }: CommandIo, stopped: AbortSignal): ExportSink {
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (stopped.aborted) {
          resolve();
          return;
        }
        const taken = (): void => {
          stopped.removeEventListener('abort', taken);
          resolve();
        };
        stopped.addEventListener('abort', taken, { once: true });
        stdout.write(text, taken);
      }),
    finish: nothing,
    abandon: nothing,
  };
}

/**
 * A file that gets its name only when it is whole: until then it is `<file>.<pid>.part` in the same folder.
 *
 * @throws UsageError where it can't be written, or is there already and `force` was not given; nothing was made then.
 */
export async function fileSink(typed: string, force: boolean): Promise<ExportSink> {
  const file = await judged(typed, force);
  const part = `${file}.${String(process.pid)}.part`;
  const handle = await opened(part, typed);
  let isWhole = false;
  return {
    write: async (text) => {
      await handle.appendFile(text);
    },
    finish: async () => {
      await handle.sync();
      await handle.close();
      await rename(part, file);
      isWhole = true;
    },
    abandon: async () => {
      if (isWhole) return;
      await handle.close();
      await unlink(part);
    },
  };
}

/** The file to write, any link to it followed, so that the link stays. */
async function judged(typed: string, force: boolean): Promise<string> {
  const there = await stat(typed).catch(() => undefined);
  if (there === undefined) return typed;
  if (there.isDirectory()) {
    throw new UsageError(`--output "${typed}" is a folder: name a file in it.`);
  }
  if (!there.isFile()) {
    throw new UsageError(
      `--output "${typed}" is no ordinary file: leave --output out, and send standard output there.`,
    );
  }
  if (!force) {
    throw new UsageError(
      `--output "${typed}" is there already: name another, or overwrite it with --force.`,
    );
  }
  await access(typed, constants.W_OK).catch((cause: unknown) => {
    throw unwritable(typed, cause);
  });
  return realpath(typed);
}

async function opened(part: string, typed: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') {
      throw new UsageError(
        `--output "${typed}": there is no folder "${dirname(typed)}"; make it, or name another.`,
        { cause },
      );
    }
    throw unwritable(typed, cause);
  }
}

function unwritable(typed: string, cause: unknown): UsageError {
  return new UsageError(
    `--output "${typed}" cannot be written (${codeOf(cause)}): name a place where you may write.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unwritable';
}

const nothing = (): Promise<void> => Promise.resolve();
