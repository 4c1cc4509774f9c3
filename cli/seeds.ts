import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { parseRequestUrl } from '../domain/request-url.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import { UsageError } from './errors.ts';

const MOST_NAMED = 5;
const STANDARD_INPUT = '-';

/**
 * The seeds of the command line and of the file of `--seeds` (`-` means standard input), in their order, each once.
 *
 * In a file, blank lines and lines that begin with `#` mean nothing.
 *
 * @throws UsageError that names every bad seed (in a file by its line), so that one look mends them all.
 */
export async function readSeeds(
  typed: readonly string[],
  file: string | undefined,
  stdin: Readable,
): Promise<readonly RequestUrl[]> {
  const candidates = [
    ...typed.map((seed) => ({ seed, where: '' })),
    ...(file === undefined ? [] : seedLines(await contentOf(file, stdin), nameOf(file))),
  ];
  const bad: string[] = [];
  const seeds = new Set<RequestUrl>();
  for (const { seed, where } of candidates) {
    const url = parseRequestUrl(seed);
    if (url === undefined) bad.push(`${where}"${seed}" ${faultOf(seed)}`);
    else seeds.add(url);
  }
  if (bad.length > 0) throw new UsageError(listOf(bad));
  return [...seeds];
}

function seedLines(content: string, name: string): readonly { seed: string; where: string }[] {
  const lines = content
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ seed: line.trim(), where: `${name}, line ${index + 1}: ` }))
    .filter(({ seed }) => seed !== '' && !seed.startsWith('#'));
  if (lines.length === 0) throw new UsageError(`${name} has no seeds: write one URL a line.`);
  return lines;
}

async function contentOf(file: string, stdin: Readable): Promise<string> {
  if (file === STANDARD_INPUT) return text(stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new UsageError(`The file of --seeds cannot be read: "${file}" (${why}).`, { cause });
  }
}

function nameOf(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

function faultOf(seed: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(seed)) {
    return /^[\w.-]+\.[a-z]{2,}([:/].*)?$/i.test(seed)
      ? `is no URL: write https://${seed}`
      : 'is no URL: write one such as https://example.com/';
  }
  return /^https?:/i.test(seed)
    ? 'is no URL that can be fetched'
    : 'is neither http nor https: only those are crawled';
}

function listOf(bad: readonly string[]): string {
  const named = bad.slice(0, MOST_NAMED).join('; ');
  const more = bad.length > MOST_NAMED ? `; and ${bad.length - MOST_NAMED} more` : '';
  return `bad seed${bad.length > 1 ? 's' : ''}: ${named}${more}`;
}
