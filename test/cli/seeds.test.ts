import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownershipOfSeeds, readSeeds, requireFewRoots } from '../../cli/seeds/seeds.ts';
import type { SeedOrder } from '../../cli/seeds/seeds.ts';
import type { SeedList } from '../../cli/seeds/seed-list.ts';
import { settingsOf } from '../db/a-frontier.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decorum-seeds-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function seedFile(content: string | Uint8Array): Promise<string> {
  const file = join(folder, 'seeds.txt');
  await writeFile(file, content);
  return file;
}

interface Given extends Partial<SeedOrder> {
  readonly stdin?: Readable;
}

async function read(given: Given): Promise<{ seeds: string[]; leftOut: number; said: string }> {
  let said = '';
  const stderr = { write: (text: string) => (said += text) };
  const { typed = [], file, skipBad = false, quiet = false, stdin = Readable.from([]) } = given;
  const { seeds, leftOut } = await readSeeds({ typed, file, skipBad, quiet }, { stdin, stderr });
  return { seeds: await allOf(seeds), leftOut, said };
}

async function allOf(list: SeedList): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of list.batches()) all.push(...batch);
  expect(all).toHaveLength(list.count);
  await list.close();
  return all;
}

function refusal(given: Given): Promise<string> {
  return read(given).then(
    () => 'taken',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : 'thrown'),
  );
}

describe('what is read', () => {
  test('seeds come from the arguments and then the file, each once, in their order', async () => {
    const file = await seedFile('http://b.test/x#part\nhttp://a.test\n');

    const { seeds } = await read({ typed: ['http://a.test/', 'http://c.test/'], file });

    expect(seeds).toEqual(['http://a.test/', 'http://c.test/', 'http://b.test/x']);
  });

  test('blank lines, comments, a byte order mark and any line ends are no seeds', async () => {
    const file = await seedFile(
      '\ufeff# ours\r\n\r\n  http://a.test/ \t \r   # http://no.test/\nhttp://b.test/#x',
    );

    expect((await read({ file })).seeds).toEqual(['http://a.test/', 'http://b.test/']);
  });

  test.each([
    ['little', 'utf16le' as const],
    ['big', 'utf16be' as const],
  ])('UTF-16 with a byte order mark is read, %s endian', async (_, order) => {
    const bytes = Buffer.from('\ufeffhttp://a.test/\r\nhttp://bücher.test/ä\r\n', 'utf16le');
    const file = await seedFile(order === 'utf16le' ? bytes : bytes.swap16());

    const { seeds } = await read({ file });

    expect(seeds).toEqual(['http://a.test/', 'http://xn--bcher-kva.test/%C3%A4']);
  });

  test('a dash reads standard input, wherever its chunks are cut', async () => {
    const chunks = ['http://a.test/\r', '\nhttp://b', '.test/\r', 'http://c.test/\r\n\r'];
    const stdin = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

    const { seeds } = await read({ file: '-', stdin });

    expect(seeds).toEqual(['http://a.test/', 'http://b.test/', 'http://c.test/']);
  });

  test('no seeds at all are fine here: a crawl may go on with those it has', async () => {
    expect((await read({})).seeds).toEqual([]);
  });

  test('more seeds than memory keeps come back whole and in order', async () => {
    const many = Array.from(
      { length: 45_321 },
      (_, n) => `http://h${String(n % 7)}.test/${String(n)}`,
    );
    const file = await seedFile(many.join('\n'));

    const { seeds } = await read({ file });

    expect(seeds).toEqual(many);
  });
});

describe('what is refused', () => {
  test('every bad line is named by its number, at once', async () => {
    const file = await seedFile(
      '# two are bad\nhttp://a.test/\nexample.com/x\r\n\r\nftp://c.test/\n',
    );

    const message = await refusal({ typed: ['nonsense'], file });

    expect(message).toContain('UsageError: bad seeds: "nonsense" is no URL');
    expect(message).toContain('line 3: "example.com/x" is no URL: write https://example.com/x');
    expect(message).toContain('line 5: "ftp://c.test/" is neither http nor https');
    expect(message).toContain('--skip-bad');
  });

  test('of many bad lines some are named and the rest counted', async () => {
    const file = await seedFile('bad\n'.repeat(100));

    expect(await refusal({ file })).toMatch(/line 5: "bad".*; and 95 more \(--skip-bad/);
  });

  test('a long line is shown by its beginning', async () => {
    const file = await seedFile(`${'x'.repeat(5_000)}\n`);

    expect((await refusal({ file })).length).toBeLessThan(500);
  });

  test.each([
    ['an empty file', ''],
    ['a file of comments', '# nothing\n\n# yet\n'],
    ['nothing but a byte order mark', '\ufeff'],
  ])('%s', async (_, content) => {
    const file = await seedFile(content);

    expect(await refusal({ typed: ['http://a.test/'], file })).toContain(`${file} has no seeds`);
  });

  test.each([
    ['bytes of zero', Buffer.from('http://a.test/\n\0\0\0')],
    ['what is no UTF-8', Buffer.from([0x68, 0x74, 0xff, 0xd8, 0x0a])],
    ['UTF-16 without a mark', Buffer.from('http://a.test/\n', 'utf16le')],
    ['a character cut off at the end', Buffer.from('http://a.test/é').subarray(0, -1)],
    ['a line without end', Buffer.alloc(300_000, 'x')],
  ])('%s, with --skip-bad too', async (_, content) => {
    const file = await seedFile(content);

    expect(await refusal({ file, skipBad: true })).toContain(`UsageError: ${file} is no text file`);
  });

  test('a file that is not there', async () => {
    const file = join(folder, 'missing.txt');

    expect(await refusal({ file })).toContain(`UsageError: The file of seeds "${file}" cannot be`);
  });

  test('a folder', async () => {
    expect(await refusal({ file: folder })).toContain(`"${folder}" is a folder`);
  });

  test('a terminal as standard input', async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });

    expect(await refusal({ file: '-', stdin })).toContain('UsageError: Seeds are to come from');
  });
});

describe('--skip-bad', () => {
  test('leaves bad lines out, counts them and names the first', async () => {
    const file = await seedFile(`http://a.test/\n${'bad\n'.repeat(7)}http://b.test/\n`);

    const { seeds, leftOut, said } = await read({ file, skipBad: true });

    expect(seeds).toEqual(['http://a.test/', 'http://b.test/']);
    expect(leftOut).toBe(7);
    expect(said).toMatch(/^left out 7 bad seeds: .*line 2: "bad".*; and 2 more\n$/);
  });

  test('with --quiet says nothing', async () => {
    const file = await seedFile('http://a.test/\nbad\n');

    expect((await read({ file, skipBad: true, quiet: true })).said).toBe('');
  });

  test('is about the file: a seed that was typed must be right', async () => {
    const file = await seedFile('http://a.test/\n');

    expect(await refusal({ typed: ['nonsense'], file, skipBad: true })).toContain('"nonsense"');
  });

  test('does not make a crawl of nothing', async () => {
    const file = await seedFile('bad\n');

    expect(await refusal({ file, skipBad: true })).toContain('no seed is left');
  });
});

describe('seeds on more hosts than a scope may have', () => {
  const hosts = (n: number): string =>
    Array.from({ length: n }, (_, at) => `http://h${String(at)}.localhost/`).join('\n');

  async function listOf(content: string): Promise<SeedList> {
    const order = { typed: [], file: await seedFile(content), skipBad: false, quiet: true };
    const nobody = { stdin: Readable.from([]), stderr: { write: () => undefined } };
    return (await readSeeds(order, nobody)).seeds;
  }

  test('are refused for a scope of hosts and taken for any', async () => {
    const seeds = await listOf(hosts(10_001));

    const refuse = (): void => {
      requireFewRoots(settingsOf({ scope: 'host' }), seeds);
    };

    expect(refuse).toThrow(/more than 10,000 hosts.*--scope any/);
    requireFewRoots(settingsOf({ scope: 'any' }), seeds);
    await seeds.close();
  });

  test('are nobody’s own', async () => {
    const [few, many] = [await listOf(hosts(10_000)), await listOf(hosts(10_001))];

    expect(await ownershipOfSeeds(few, undefined)).toBe('loopback');
    expect(await ownershipOfSeeds(many, undefined)).toBe('public');
    await many.close();
  });

  test('a crowd of folders is refused for prefix alone', async () => {
    const folders = Array.from({ length: 10_001 }, (_, at) => `http://a.test/${String(at)}/`);
    const seeds = await listOf(folders.join('\n'));

    requireFewRoots(settingsOf({ scope: 'host' }), seeds);
    expect(() => {
      requireFewRoots(settingsOf({ scope: 'prefix' }), seeds);
    }).toThrow(/more than 10,000 folders/);
  });
});
