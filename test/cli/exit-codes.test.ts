import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONTACT = '--contact=https://you.example/bot';

let folder = '';
let data = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decorum-cli-'));
  data = join(folder, 'data');
});

afterEach(() => rm(folder, { recursive: true }));

interface Ran {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command as a person would, with an environment that names no servers. */
function decorum(words: readonly string[], input = ''): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const args = [
    join(ROOT, 'dist', 'cli', 'main.js'),
    ...words,
    ...(words.length > 0 ? ['--data', data] : []),
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH, HOME } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (exitCode) => {
      resolve({ exitCode, out, err });
    });
  });
}

test.each<[words: string, said: RegExp]>([
  ['', /Usage: decorum/],
  ['crawl', /no crawl "default" to go on with: give a seed/],
  ['crawl example.com', /"example\.com" is no URL: write https:\/\/example\.com/],
  ['crawl https://example.com', /add --contact/],
  [`crawl https://example.com ${CONTACT} --min-gap 500ms`, /only your own hosts/],
  [
    `crawl https://example.com ${CONTACT} --pagse 5`,
    /unknown option '--pagse'.*\n.*Did you mean --pages/,
  ],
  [`crawl https://example.com ${CONTACT} --pages 0`, /'0' is invalid.* 1 or more/],
  [`crawl https://example.com ${CONTACT} --min-gap -1s`, /'-1s' is invalid.* 90s/],
  ['crawl --seeds missing.txt', /"missing\.txt" cannot be read \(there is none\)/],
  ['crwal https://example.com', /unknown command 'crwal'.*\n.*Did you mean crawl/],
  ['resume', /the folder does not exist/],
  ['why www.example.com/about', /It must be a URL with its scheme/],
  ['pause www.example.com', /required option '--why <text>' not specified/],
  ['policy www.example.com --gap -5s', /'-5s' is invalid.* 90s/],
  [
    'policy www.example.com --pages-a-day 1',
    /'1' is invalid.* 2 or more, since robots\.txt counts/,
  ],
  [
    'policy www.example.com --hours 22-25',
    /'22-25' is invalid.* 22-06 or "8:30-17 Europe\/Berlin"/,
  ],
  ['policy domain:a/b --exclude', /'domain:a\/b' is invalid.* such as domain:example\.com/],
  ['policy --gap 5s', /No host is named/],
  ['policy www.example.com --clear --gap 5s', /--clear takes the whole policy back/],
  ['policy www.example.com --gap 5s', /the folder does not exist/],
])('"decorum %s" exits 2, says why in a line or two, and writes nothing', async (words, said) => {
  const { exitCode, out, err } = await decorum(words.split(' ').filter(Boolean));

  expect(err).toMatch(said);
  expect(err).not.toMatch(/^\s+at /m);
  expect({ exitCode, out, wrote: existsSync(data) }).toEqual({
    exitCode: 2,
    out: '',
    wrote: false,
  });
});

test('one bad line among the seeds, and nothing is written', async () => {
  const { exitCode, err } = await decorum(
    ['crawl', CONTACT, '--seeds', '-'],
    'https://example.com/\n\n# then\nhttps//example.com\n',
  );

  expect(err).toMatch(
    /^error: bad seed: standard input, line 4: "https\/\/example\.com" is no URL/,
  );
  expect({ exitCode, wrote: existsSync(data) }).toEqual({ exitCode: 2, wrote: false });
});

test('a configuration file with faults is refused as a whole, each fault by its line [OPS07]', async () => {
  const file = join(folder, 'decorum.yaml');
  await writeFile(file, 'minGpa: 2s\npages: 0\nminGap: -1s\n');

  const { exitCode, out, err } = await decorum(['crawl', 'https://example.com', '--config', file]);

  expect(err).toMatch(/:1: .*"minGpa".*"minGap"/);
  expect(err).toMatch(/:2: .*pages/);
  expect(err).toMatch(/:3: .*minGap/);
  expect(err).not.toMatch(/^\s+at /m);
  expect({ exitCode, out, wrote: existsSync(data) }).toEqual({
    exitCode: 2,
    out: '',
    wrote: false,
  });
});

test('a data folder that is a file is named', async () => {
  await writeFile(join(folder, 'data'), 'a file, no folder');

  const { exitCode, err } = await decorum(['crawl', 'https://example.com', CONTACT]);

  expect(exitCode).toBe(2);
  expect(err).toContain(`The data folder "${data}" cannot be written`);
});

test('help and version exit 0', async () => {
  await mkdir(folder, { recursive: true });
  const [help, version] = await Promise.all([decorum(['--help']), decorum(['--version'])]);

  expect(help).toMatchObject({ exitCode: 0, err: '' });
  expect(help.out).toContain('Usage: decorum');
  expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
