import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSeeds } from '../../cli/seeds.ts';

const NOTHING = Readable.from([]);
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decorum-seeds-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function seedFile(content: string): Promise<string> {
  const file = join(folder, 'seeds.txt');
  await writeFile(file, content);
  return file;
}

test('seeds come from the arguments and then the file, each once, in their order', async () => {
  const file = await seedFile('http://b.test/x#part\nhttp://a.test\n');

  const seeds = await readSeeds(['http://a.test/', 'http://c.test/'], file, NOTHING);

  expect(seeds).toEqual(['http://a.test/', 'http://c.test/', 'http://b.test/x']);
});

test('blank lines, comments, a byte order mark and any line ends are no seeds', async () => {
  const file = await seedFile(
    '\ufeff# ours\r\n\r\n  http://a.test/  \r   # http://no.test/\nhttp://b.test/#x',
  );

  expect(await readSeeds([], file, NOTHING)).toEqual(['http://a.test/', 'http://b.test/']);
});

test('a dash reads standard input', async () => {
  const stdin = Readable.from([Buffer.from('http://a.test/\nhttp://b'), Buffer.from('.test/\n')]);

  expect(await readSeeds([], '-', stdin)).toEqual(['http://a.test/', 'http://b.test/']);
});

test('every bad line is named by its number, at once', async () => {
  const file = await seedFile('# two are bad\nhttp://a.test/\nexample.com/x\n\nftp://c.test/\n');

  const message = await readSeeds(['nonsense'], file, NOTHING).then(String, String);

  expect(message).toContain('"nonsense" is no URL');
  expect(message).toContain('line 3: "example.com/x" is no URL: write https://example.com/x');
  expect(message).toContain('line 5: "ftp://c.test/" is neither http nor https');
});

test('of many bad lines some are named and the rest counted', async () => {
  const file = await seedFile('bad\n'.repeat(100));

  await expect(readSeeds([], file, NOTHING)).rejects.toThrow(/line 5: "bad".*; and 95 more$/);
});

test.each([
  ['an empty file', ''],
  ['a file of comments', '# nothing\n\n# yet\n'],
])('%s is an error', async (_, content) => {
  const file = await seedFile(content);

  await expect(readSeeds(['http://a.test/'], file, NOTHING)).rejects.toThrow(
    `${file} has no seeds`,
  );
});

test('a file that is not there is named', async () => {
  const file = join(folder, 'missing.txt');

  await expect(readSeeds([], file, NOTHING)).rejects.toThrow(`"${file}" (ENOENT)`);
});

test('no seeds at all are fine here: a crawl may go on with those it has', async () => {
  expect(await readSeeds([], undefined, NOTHING)).toEqual([]);
});
