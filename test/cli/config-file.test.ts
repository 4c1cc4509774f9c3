import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from 'yaml';
import { readConfigFile } from '../../cli/settings/config-file.ts';
import { failureOf } from '../../cli/errors.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { textOf } from '../docs/pages.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'decorum-config-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileWith(content: string | Uint8Array): string {
  const file = join(folder, 'decorum.yaml');
  writeFileSync(file, content);
  return file;
}

function read(content: string): unknown {
  const values = readConfigFile(fileWith(content));
  return Object.fromEntries([...values].map(([key, { value }]) => [key, value]));
}

/** What a person is told of a file that is refused. */
function refusal(content: string | Uint8Array): string {
  const file = fileWith(content);
  try {
    readConfigFile(file);
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    expect(exitCode).toBe(EXIT.usage);
    return (message ?? '').replaceAll(file, 'decorum.yaml');
  }
  return 'nothing';
}

test.each<[yaml: string, values: object]>([
  ['minGap: 1', { minGap: 1_000 }],
  ['minGap: 250ms', { minGap: 250 }],
  ['pages: none', { pages: 'none' }],
  ['pages: "20"', { pages: 20 }],
  ['maxBytes: 1.5MB', { maxBytes: 1_500_000 }],
  ['retries: 1h,6h', { retries: [3_600_000, 21_600_000] }],
  ['retries: [1h, 6h]', { retries: [3_600_000, 21_600_000] }],
  ['retries: []', { retries: [] }],
  [
    'priority:\n  - host:a.test,b.test=1\n  - path:/blog/*=2',
    { priority: ['host:a.test,b.test=1', 'path:/blog/*=2'] },
  ],
  ['priority: path:/blog/*=2', { priority: ['path:/blog/*=2'] }],
  ['dns:\n  - 127.0.0.1\n  - "[::1]:5353"', { dns: ['127.0.0.1:53', '[::1]:5353'] }],
  ['wait: false\nallowPrivate: true', { wait: false, allowPrivate: true }],
  ['name: 2026', { name: '2026' }],
  ['minGap: &gap 2s\nrobotsWait: *gap', { minGap: 2_000, robotsWait: 2_000 }],
])('%s means what the flag means', (yaml, values) => {
  expect(read(yaml)).toEqual(values);
});

test("paths are relative to the file's folder, but for standard input", () => {
  expect(read('data: crawls\nseeds: "-"')).toEqual({ data: join(folder, 'crawls'), seeds: '-' });
});

test('every fault is listed at once, with its line, the value and the remedy [OPS07]', () => {
  const told = refusal(
    'minGpa: 1s\nminGap: -1s\n\npages: ten\nuserAgent: ""\ntime: { a: 1 }\nzebra: 1\n',
  );

  expect(told.split('\n')).toEqual([
    'error: The configuration file "decorum.yaml" is wrong:',
    '  decorum.yaml:1: unknown key "minGpa": did you mean "minGap"?',
    expect.stringMatching(/^ {2}decorum\.yaml:2: minGap is "-1s"\. Write it as 500ms/) as string,
    '  decorum.yaml:4: pages is "ten". It must be a whole number, such as 50.',
    '  decorum.yaml:5: userAgent has no value: give it one, or leave the key out.',
    '  decorum.yaml:6: time has values of its own: give it a single one.',
    '  decorum.yaml:7: unknown key "zebra": "decorum config" lists those there are.',
  ]);
});

test.each<[what: string, content: string | Uint8Array, told: RegExp]>([
  ['a key that is there twice', 'minGap: 1s\npages: 1\nminGap: 2s', /:3: .*there twice/],
  ['a tab', 'dns:\n\t- 127.0.0.1', /:2: a tab indents/],
  ['broken YAML', 'pages: 1\nname: "x', /:2: no YAML: Missing closing/],
  ['two documents', 'pages: 1\n---\npages: 2', /:2: a second document/],
  ['an alias of nothing', 'pages: *one', /no YAML: Unresolved alias/],
  ['an empty file', '', /has no settings: write one/],
  ['comments only', '# nothing\n', /has no settings: write one/],
  ['a list', '- minGap', /not a list/],
  ['a lone word', 'minGap', /not a list or a lone value/],
  ['binary', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), /binary/],
  ['another encoding', new Uint8Array([0xff, 0xfe, 0x61]), /no text in UTF-8/],
  ['infinity', 'gapFactor: 1e9999', /gapFactor is "1e9999"\. It must be a number/],
  ['not a number', 'gapFactor: .nan', /gapFactor is "\.nan"\. It must be a number/],
  ['no pages', 'pages: 0', /pages is "0"\. It must be a whole number of 1 or more/],
  ['a key without a value', 'pages:', /pages has no value/],
])('%s is refused', (_, content, told) => {
  expect(refusal(content)).toMatch(told);
});

test('a file that is not there, or is a folder, is refused', () => {
  expect(() => readConfigFile(join(folder, 'none.yaml'))).toThrow(/there is none/);
  expect(() => readConfigFile(folder)).toThrow(/folder/);
});

test('a password is not repeated', () => {
  expect(refusal('databaseUrl: mysql://u:secret@h/db')).not.toContain('secret');
});

test.each(['minGap: 1', 'minGap: 1h30m', 'pages: none', 'retries: [1h, 6h]', 'maxBytes: 500kB'])(
  "the editors' schema takes what the command takes: %s",
  (yaml) => {
    const schema = z.fromJSONSchema(
      JSON.parse(textOf('docs/decorum-config.schema.json')) as Parameters<
        typeof z.fromJSONSchema
      >[0],
    );
    expect(schema.safeParse(parse(yaml))).toMatchObject({ success: true });
    expect(schema.safeParse(parse('minGpa: 1s')).success).toBe(false);
  },
);
