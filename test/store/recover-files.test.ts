import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { endOfWholeMembers } from '../../store/gzip-members.ts';
import { readWarcResponse } from '../../store/read-warc.ts';
import { recoverWarcFiles } from '../../store/recover-files.ts';
import { openWarcStore, type WarcPlace } from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';
import { aFolder, recordsOf } from './warc-folder.ts';

/** A file of three exchanges, as a kill would leave it: marked. */
async function aMarkedFile() {
  const dir = await aFolder();
  const warc = await openWarcStore({ dir, slot: 'w1' });
  const places: WarcPlace[] = [];
  for (const n of [1, 2, 3]) {
    places.push(await warc.write(anExchange({ rawBody: randomBytes(n * 1_000) })));
  }
  await warc.close();
  const [file = ''] = await readdir(dir);
  await writeFile(join(dir, `${file}.open`), '');
  return { dir, file, path: join(dir, file), places };
}

describe('recovery', () => {
  test('cuts a broken tail at the end of the last whole record, wherever it was broken', async () => {
    const { dir, file, path } = await aMarkedFile();
    const whole = await readFile(path);
    const ends = [...(await recordsOf(path)).slice(1).map(({ offset }) => offset), whole.length];
    const lastEnd = ends.at(-2) ?? 0;

    for (const cutAt of [
      lastEnd + 1,
      lastEnd + 11,
      lastEnd + 60,
      whole.length - 8,
      whole.length - 1,
    ]) {
      await writeFile(path, whole.subarray(0, cutAt));
      await writeFile(`${path}.open`, '');
      expect(await recoverWarcFiles(dir, 'w1')).toEqual([{ file, cutBytes: cutAt - lastEnd }]);
      expect((await stat(path)).size).toBe(lastEnd);
    }
    expect(await readdir(dir)).toEqual([file]);
  });

  test('takes every slot where none is named, and only the named one else', async () => {
    const { dir, file } = await aMarkedFile();

    expect(await recoverWarcFiles(dir, 'another')).toEqual([]);
    expect(await recoverWarcFiles(dir)).toEqual([{ file, cutBytes: 0 }]);
  });

  test('leaves a whole file as it is', async () => {
    const { dir, file, path } = await aMarkedFile();
    const before = await readFile(path);

    expect(await recoverWarcFiles(dir, 'w1')).toEqual([{ file, cutBytes: 0 }]);
    expect(await readFile(path)).toEqual(before);
  });

  test.each([
    { tail: 'zeros, as a crash of the machine may leave', bytes: Buffer.alloc(5_000) },
    { tail: 'a record whose checksum is wrong', bytes: withWrongChecksum() },
    { tail: 'noise', bytes: Buffer.from('not a gzip member at all') },
  ])('cuts $tail', async ({ bytes }) => {
    const { dir, path } = await aMarkedFile();
    const before = await readFile(path);
    await writeFile(path, Buffer.concat([before, bytes]));

    await recoverWarcFiles(dir, 'w1');
    expect(await readFile(path)).toEqual(before);
  });

  test('removes a file in which not even the first record is whole', async () => {
    const { dir, path } = await aMarkedFile();
    await truncate(path, 20);

    await recoverWarcFiles(dir, 'w1');
    expect(await readdir(dir)).toEqual([]);
  });

  test('removes a marker whose file was never made', async () => {
    const dir = await aFolder();
    await writeFile(join(dir, 'x-20260102030405678-w1-00001.warc.gz.open'), '');

    await openWarcStore({ dir, slot: 'w1' });
    expect(await readdir(dir)).toEqual([]);
  });

  test('touches only marked files, and only of its own slot', async () => {
    const { dir, file, path } = await aMarkedFile();
    await truncate(path, 2_000);

    expect(await recoverWarcFiles(dir, 'w2')).toEqual([]);
    expect(await recoverWarcFiles(dir, '1')).toEqual([]);
    expect((await readdir(dir)).sort()).toEqual([file, `${file}.open`]);
    expect((await stat(path)).size).toBe(2_000);
  });

  test('finds the end of records larger than one read', async () => {
    const path = join(await aFolder(), 'large');
    const members = [5_000_000, 10, 9_000_000].map((size) => gzipSync(randomBytes(size)));
    await writeFile(path, Buffer.concat([...members, Buffer.from([0x1f, 0x8b])]));

    const lengths = members.map(({ length }) => length);
    expect(await endOfWholeMembers(path)).toBe(lengths.reduce((sum, length) => sum + length));
  });

  test.each(['', 'a/b', 'x-20260102030405678-y', 'w 1'])('refuses the slot "%s"', async (slot) => {
    await expect(openWarcStore({ dir: await aFolder(), slot })).rejects.toThrow('slot');
  });
});

function withWrongChecksum(): Buffer {
  const member = gzipSync('a record');
  member.writeUInt32LE(0, member.length - 8);
  return member;
}

describe('after kill -9 in mid-write', () => {
  test('every page whose write had resolved is there, and the file is whole', async () => {
    const dir = await aFolder();
    const told = await placesToldUntilKilled(dir, 25);
    const [file = ''] = (await readdir(dir)).filter((name) => name.endsWith('.gz'));
    expect(await readdir(dir)).toContain(`${file}.open`);

    const warc = await openWarcStore({ dir, slot: 'w1' });
    const next = await warc.write(anExchange());
    await warc.close();

    expect(next.file).not.toBe(file);
    expect((await readdir(dir)).sort()).toEqual([file, next.file].sort());
    expect(await endOfWholeMembers(join(dir, file))).toBe((await stat(join(dir, file))).size);
    for (const place of told) {
      expect((await readWarcResponse(dir, place)).body).toHaveLength(500_000);
    }
  });
});

async function placesToldUntilKilled(dir: string, count: number): Promise<readonly WarcPlace[]> {
  const script = fileURLToPath(new URL('./write-without-end.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const places: WarcPlace[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.endsWith('}')) places.push(JSON.parse(line) as WarcPlace);
    if (places.length === count) child.kill('SIGKILL');
  }
  await ended;
  return places;
}

describe('a disk that takes no more', () => {
  test('costs the exchange that did not fit, and leaves the file whole', async () => {
    const dir = await aFolder();

    expect(await outcomesUnderSizeLimit(dir, [1_000, 1_000_000, 1_000])).toEqual([
      'written',
      expect.objectContaining({ code: 'EFBIG' }),
      'written',
    ]);
    const [file = ''] = await readdir(dir);
    const types = (await recordsOf(join(dir, file))).map(({ type }) => type);
    expect(types).toEqual(['warcinfo', 'response', 'request', 'response', 'request']);
  });
});

describe('a file that may not grow on', () => {
  test('is followed by the next, and costs no exchange that one can hold', async () => {
    const dir = await aFolder();

    const sizes = [250_000, 100_000, 200_000];
    expect(await outcomesUnderSizeLimit(dir, sizes)).toEqual(['written', 'written', 'written']);
    expect(await readdir(dir)).toHaveLength(2);
  });
});

/** The kernel lets the child's files grow to 400 KB; with the signal ignored, more is an error as on a full disk. */
async function outcomesUnderSizeLimit(dir: string, sizes: readonly number[]): Promise<unknown> {
  const script = fileURLToPath(new URL('./write-to-limit.ts', import.meta.url));
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `trap '' XFSZ; ulimit -f 400; exec "$0" --import tsx "$@"`,
    process.execPath,
    script,
    dir,
    ...sizes.map(String),
  ]);
  return JSON.parse(stdout) as unknown;
}
