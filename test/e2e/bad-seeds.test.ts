import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startCommand } from './support/command-run.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'decorum-bad-seeds-'));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'empty.txt': '',
    'bad.txt': 'http://localhost:1/\nnonsense\n',
    'ftp.txt': 'ftp://localhost/x\n',
    'binary.txt': Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]),
    'utf16.txt': Buffer.from('http://localhost:1/\n', 'utf16le'),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'crawls'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What a person types, with a data folder that isn't there; `$` stands for the folder of the files. */
async function refused(...typed: readonly string[]): Promise<string> {
  const data = join(folder, 'data');
  const args = typed.map((word) => word.replace('$', `${folder}/`));
  const { exitCode, output } = startCommand([...args, '--data', data]);
  expect(await exitCode, output()).toBe(2);
  expect(existsSync(data), output()).toBe(false);
  expect(output()).not.toMatch(/\n\s+at /);
  return output().replaceAll(`${folder}/`, '$');
}

test.each([
  ['a file that is not there', '$no.txt', 'error: The file of seeds "$no.txt" cannot be read'],
  ['a folder', '$crawls', 'error: The file of seeds "$crawls" is a folder: name a file in it.'],
  ['an empty file', '$empty.txt', 'error: $empty.txt has no seeds: write one URL a line.'],
  ['a bad line', '$bad.txt', 'error: bad seed: $bad.txt, line 2: "nonsense" is no URL'],
  ['ftp', '$ftp.txt', '"ftp://localhost/x" is neither http nor https: only those are crawled'],
  ['a binary file', '$binary.txt', 'error: $binary.txt is no text file: it has bytes of zero'],
  ['UTF-16 without a mark', '$utf16.txt', 'error: $utf16.txt is no text file'],
])('crawl --seeds with %s is refused, and nothing is made', async (_, file, said) => {
  expect(await refused('crawl', '--seeds', file)).toContain(said);
});

test('seeds that are typed are judged alike', async () => {
  expect(await refused('crawl', 'ftp://localhost/x')).toContain('"ftp://localhost/x" is neither');
  expect(await refused('crawl', 'localhost.example')).toContain('write https://localhost.example');
});

test('seeds of which the rules take none are refused', async () => {
  const refusal = (...rules: readonly string[]): Promise<string> =>
    refused('crawl', 'http://localhost:1/print/', ...rules);

  expect(await refusal('--exclude', 'ext:pdf path:/print/*')).toContain(
    `No seed is left by the crawl's rules: left out 1 seed: "http://localhost:1/print/" is excluded by rule path:/print/*`,
  );
  expect(await refusal('--include', 'path:/blog/*')).toContain('named by no include rule');
  expect(await refusal('--exclude', 'print')).toContain('A rule is domain:example.org');
});

test('seed and export make no data folder where there is none', async () => {
  const none = 'the folder does not exist. Start one with "decorum crawl"';
  expect(await refused('seed', 'http://localhost:1/')).toContain(none);
  expect(await refused('export')).toContain(none);
  expect(await refused('seed')).toContain('There is no seed');
});

test('an export is refused a place that it cannot take', async () => {
  const onCrawls = ['export', '--data', join(folder, 'crawls')];
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, output } = startCommand([...onCrawls, ...args]);
    expect(await exitCode, output()).toBe(2);
    return output();
  };

  expect(await refusal('--output', folder)).toContain('is a folder: name a file in it');
  expect(await refusal('--output', '/dev/null')).toContain('is no ordinary file');
  expect(await refusal('--output', join(folder, 'no', 'x.csv'))).toContain('there is no folder');
  expect(await refusal('--output', join(folder, 'empty.txt'))).toContain('with --force');
  expect(await refusal('--since', 'yesterday')).toContain('2026-08-01T12:00Z');
  expect(await refusal('--json', '--format', 'csv')).toContain('contradict each other');
});
