import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startCommand } from './support/command-run.ts';

let folder = '';

const FILES: Readonly<Record<string, string>> = {
  'syntax.mjs': 'export default (',
  'nothing.mjs': 'const rule = () => 1;',
  'number.mjs': 'export default 1;',
  'throws.mjs': "export default () => { throw new Error('not today'); };",
  'nan.mjs': 'export default () => NaN;',
  'band9.mjs': 'export default () => 9;',
  'async.mjs': 'export default async () => 1;',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'decorum-bad-prioritizer-'));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'decorum.yaml'), 'prioritizer: throws.mjs\n');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function refused(...typed: readonly string[]): Promise<string> {
  const data = join(folder, 'data');
  const args = ['crawl', 'http://localhost:1/', ...typed, '--data', data];
  const { exitCode, output } = startCommand(args);
  expect(await exitCode, output()).toBe(2);
  expect(existsSync(data), output()).toBe(false);
  expect(output()).not.toMatch(/\n\s+at /);
  return output().replaceAll(`${folder}/`, '$');
}

const USELESS = (file: string): string => `error: The prioritizer "$${file}" is of no use: `;
const FAILS = (file: string): string =>
  `error: The prioritizer "$${file}" fails with the seed "http://localhost:1/": `;

test.each([
  ['no.mjs', `${USELESS('no.mjs')}it cannot be read: Error: ENOENT`],
  ['syntax.mjs', `${USELESS('syntax.mjs')}it cannot be loaded: SyntaxError`],
  ['nothing.mjs', `${USELESS('nothing.mjs')}it has no function as its default export`],
  ['number.mjs', `${USELESS('number.mjs')}it has no function as its default export`],
  ['throws.mjs', `${FAILS('throws.mjs')}it threw Error: not today. Mend it, or`],
  ['nan.mjs', `${FAILS('nan.mjs')}it gave NaN: it must give a whole number from 1 to 3`],
  ['band9.mjs', `${FAILS('band9.mjs')}it gave 9: it must give a whole number from 1 to 3`],
  ['async.mjs', `${FAILS('async.mjs')}it gave a promise: it must answer at once`],
])('crawl --prioritizer %s is refused, and nothing is made', async (file, said) => {
  expect(await refused('--prioritizer', join(folder, file))).toContain(said);
});

test('a configuration file names it beside itself', async () => {
  expect(await refused('--config', join(folder, 'decorum.yaml'))).toContain(
    `${FAILS('throws.mjs')}it threw Error: not today`,
  );
});

test('bands and rules that there are not are refused alike', async () => {
  expect(await refused('--priority', 'sitemap:2=1')).toContain('Write RULE=BAND');
  expect(await refused('--priority', 'path:/x=9')).toContain('Write RULE=BAND');
  expect(await refused('--priority', 'path:/x=5')).toContain(
    'names the band 5, and the crawl has 3',
  );
  expect(await refused('--bands', '9')).toContain('a whole number from 1 to 8');
});
