import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSink } from '../../cli/commands/export-sink.ts';
import { parseInstant } from '../../cli/settings/option-values.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decorum-sink-'));
  file = join(folder, 'out.jsonl');
});

afterEach(() => rm(folder, { recursive: true }));

test('a file has its name once it is whole, and not before', async () => {
  const sink = await fileSink(file, false);
  await sink.write('one\n');
  await sink.write('two\n');
  expect(await readdir(folder)).not.toContain('out.jsonl');

  await sink.finish();
  await sink.abandon();

  expect(await readdir(folder)).toEqual(['out.jsonl']);
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
});

test('an abandoned export leaves nothing, and the earlier file as it was', async () => {
  await writeFile(file, 'earlier');
  const sink = await fileSink(file, true);
  await sink.write('half');

  await sink.abandon();

  expect(await readdir(folder)).toEqual(['out.jsonl']);
  expect(await readFile(file, 'utf8')).toBe('earlier');
});

test('a link to a file stays a link', async () => {
  await writeFile(join(folder, 'real.jsonl'), 'earlier');
  await symlink('real.jsonl', file);
  const sink = await fileSink(file, true);
  await sink.write('new');

  await sink.finish();

  expect(await readlink(file)).toBe('real.jsonl');
  expect(await readFile(join(folder, 'real.jsonl'), 'utf8')).toBe('new');
});

test('a file that is there is not overwritten by chance', async () => {
  await writeFile(file, 'earlier');

  await expect(fileSink(file, false)).rejects.toThrow('overwrite it with --force');
  expect(await readdir(folder)).toEqual(['out.jsonl']);
});

test.each([
  ['2026-08-01', '2026-08-01T00:00:00.000Z'],
  ['2026-08-01T12:30', '2026-08-01T12:30:00.000Z'],
  ['2026-08-01 12:30:01Z', '2026-08-01T12:30:01.000Z'],
  ['2026-08-01T12:30+02:00', '2026-08-01T10:30:00.000Z'],
])('--since %s is %s', (typed, at) => {
  expect(parseInstant(typed).toISOString()).toBe(at);
});

test('--since counts a duration back from now', () => {
  const agoMs = Date.now() - parseInstant('2h').getTime();
  expect(Math.round(agoMs / 3_600_000)).toBe(2);
});

test.each(['yesterday', '2026-13-01', '2026-8-1', '', '-1h', '2026-08-01T25:00'])(
  '--since %j is refused',
  (typed) => {
    expect(() => parseInstant(typed)).toThrow('Write a time back from now');
  },
);
