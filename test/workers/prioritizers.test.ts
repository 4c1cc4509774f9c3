import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askPrioritizer } from '../../domain/prioritizer.ts';
import { loadPrioritizer, prioritizerAt } from '../../workers/prioritizers.ts';

const FACTS = {
  url: 'http://a.test/',
  scheme: 'http',
  host: 'a.test',
  path: '/',
  query: '',
  extension: '',
  depth: 0,
  bands: 3,
};

function aFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-prioritizer-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test.each([
  ['a default export', 'mine.mjs', 'export default ({ depth }) => depth + 1;'],
  ['an export of the name', 'mine.mjs', 'export const prioritizer = () => 1;'],
  ['a CommonJS module', 'mine.cjs', 'module.exports = () => 1;'],
])('%s is the rule', async (_, name, text) => {
  const { rule } = await loadPrioritizer(aFile(name, text));
  expect(rule(FACTS)).toBe(1);
});

test.each([
  ['syntax', 'export default (', 'it cannot be loaded: '],
  ['an import of nothing', "import './no.mjs'; export default () => 1;", 'it cannot be loaded: '],
  ['a throw at once', "throw new Error('not today');", 'it cannot be loaded: Error: not today'],
  ['no export', 'const rule = () => 1;', 'it has no function as its default export'],
  ['no function', 'export default 1;', 'it has no function as its default export'],
])('a module with %s is refused by name of its fault', async (_, text, said) => {
  await expect(loadPrioritizer(aFile('mine.mjs', text))).rejects.toThrow(said);
});

test('a file that is not there is refused; a worker goes on with a rule that says so', async () => {
  const file = join(tmpdir(), 'decorum-no-such-prioritizer.mjs');
  await expect(loadPrioritizer(file)).rejects.toThrow('it cannot be read: Error: ENOENT');

  const { rule } = await prioritizerAt(file);
  expect(askPrioritizer(rule, FACTS)).toMatchObject({
    kind: 'fault',
    fault: expect.stringContaining('it threw Error: it cannot be read') as string,
  });
});

test('a file that was changed is loaded anew', async () => {
  const file = aFile('mine.mjs', 'export default () => 1;');
  expect((await prioritizerAt(file)).rule(FACTS)).toBe(1);
  writeFileSync(file, 'export default () => 2;');
  utimesSync(file, 1, 1);

  expect((await prioritizerAt(file)).rule(FACTS)).toBe(2);
});
