import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.ts';

/** The file name that means standard input. */
export const STANDARD_INPUT = '-';

/** Characters of the longest line; our choice: far more than any URL that is crawled, and no load on memory. */
const LONGEST_LINE = 65_536;

/** One line that holds something, counted from 1. */
export interface SeedLine {
  readonly text: string;
  readonly number: number;
}

/**
 * The lines of a file of seeds, some at a time, trimmed; blank lines and those that begin with `#` are left out. Any
 * line ends; UTF-8, or UTF-16 where a byte order mark says so.
 *
 * @param file `-` means standard input.
 * @throws UsageError where there is no such file, or it is no text.
 */
export async function* seedLinesOf(
  file: string,
  stdin: Readable,
): AsyncGenerator<readonly SeedLine[]> {
  const name = seedFileName(file);
  const { chunks, close } = await contentOf(file, stdin);
  try {
    let number = 0;
    let rest = '';
    for await (const text of decoded(chunks, name)) {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE)
        throw noText(name, `line ${String(number + lines.length + 1)} is endless`);
      yield numbered(lines, number);
      number += lines.length;
    }
    yield numbered(rest.split('\r'), number);
  } finally {
    await close();
  }
}

/** What to call the file in a message. */
export function seedFileName(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

function numbered(lines: readonly string[], before: number): readonly SeedLine[] {
  return lines
    .map((line, index) => ({ text: line.trim(), number: before + index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}

async function* decoded(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      const text = decoder.decode(chunk, { stream: true });
      if (text.includes('\0')) throw noText(name, 'it has bytes of zero');
      yield text;
    }
    yield decoder?.decode() ?? '';
  } catch (cause) {
    if (cause instanceof TypeError && 'code' in cause) throw noText(name, 'it is not UTF-8', cause);
    throw cause;
  }
}

/** By its byte order mark (WHATWG Encoding §6), which the decoder drops. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}

function noText(name: string, why: string, cause?: unknown): UsageError {
  return new UsageError(
    `${name} is no text file: ${why}. Write one URL a line, in UTF-8.`,
    cause === undefined ? {} : { cause },
  );
}

interface Content {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

async function contentOf(file: string, stdin: Readable): Promise<Content> {
  if (file === STANDARD_INPUT) {
    if ('isTTY' in stdin && stdin.isTTY === true) {
      throw new UsageError(
        'Seeds are to come from standard input ("-"), which is this terminal: pipe them in, or type them as arguments.',
      );
    }
    return { chunks: stdin, close: () => Promise.resolve() };
  }
  const handle = await opened(file);
  return {
    chunks: handle.createReadStream({ autoClose: false }),
    close: () => handle.close(),
  };
}

async function opened(file: string): Promise<FileHandle> {
  const handle = await open(file).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    const why = code === 'ENOENT' ? 'there is none' : code;
    throw new UsageError(
      `The file of seeds "${file}" cannot be read (${why}): check its name and who may read it.`,
      { cause },
    );
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new UsageError(`The file of seeds "${file}" is a folder: name a file in it.`);
}
