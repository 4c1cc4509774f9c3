import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished } from 'vitest';
import { crawlFiles, removeFiles } from '../../cli/commands/crawl-files.ts';
import { removeCrawl, type Removal } from '../../cli/commands/remove-crawl.ts';
import { terminalOn } from '../../cli/views/terminal.ts';
import { findCrawl } from '../../db/crawls.ts';
import type { Db } from '../../db/pool.ts';
import { dataFolderAt, openDataFolder, writeRecord } from '../../workers/data-folder.ts';
import { identify } from '../../workers/processes.ts';
import { countOf } from '../db/a-frontier.ts';
import { crawlUnderWay } from '../db/a-crawl-under-way.ts';
import { test } from '../support/database.ts';

const OWN = ['test-20260801120000000-0-00001.warc.gz', 'test-20260801130000000-0-00002.warc.gz'];
const OTHERS = ['test-2-20260801120000000-0-00001.warc.gz', 'test.txt'];

/** A data folder with files of the crawl "test", and of others whose names begin alike. */
function aFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'decorum-removal-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true });
  });
  const { warc } = openDataFolder(path);
  for (const name of [...OWN, ...OTHERS]) writeFileSync(join(warc, name), 'x');
  return path;
}

/** As where a worker of this folder writes the last of the files. */
function workOn(data: string): string {
  const self = identify(process.pid);
  if (self === undefined) throw new Error('This process is not there');
  writeFileSync(join(data, 'warc', `${OWN[1] ?? ''}.open`), '');
  writeRecord(dataFolderAt(data), { workers: [self], ports: {} });
  return join(data, 'warc', OWN[1] ?? '');
}

interface Ran {
  readonly exitCode: number | string;
  readonly out: string;
  readonly err: string;
}

interface Scene {
  readonly data: string;
  readonly typed?: string;
  readonly json?: true;
  readonly interrupted?: true;
}

/** Removes as the command does; an error's words in place of the exit code. */
async function remove(
  db: Db,
  removal: Partial<Removal>,
  { data, typed, json, interrupted }: Scene,
): Promise<Ran> {
  const said = { out: '', err: '' };
  const paper = (where: 'out' | 'err') => ({
    isTTY: typed !== undefined,
    write: (text: string): void => {
      said[where] += text;
    },
  });
  const stdin = Object.assign(Readable.from([typed ?? '']), { isTTY: typed !== undefined });
  const [stdout, stderr] = [paper('out'), paper('err')];
  const io = {
    stdin,
    stdout,
    stderr,
    readerGone: new AbortController().signal,
    ended: () => undefined,
  };
  const signal = interrupted === true ? AbortSignal.abort() : new AbortController().signal;
  const session = {
    db,
    terminal: terminalOn(stdout, stderr),
    interrupts: { signal, raise: () => undefined, stopListening: () => undefined },
    flags: { data, ...(json === undefined ? {} : { json }) },
  };
  const order = { name: 'test', yes: false, warc: false, ...removal };
  const exitCode = await removeCrawl(session, order, io).catch((error: unknown) => String(error));
  return { exitCode, ...said };
}

async function stopped(db: Db): Promise<void> {
  await crawlUnderWay(db);
  await db.query(`update crawl set state = 'stopped', end_reason = 'stopped'`);
}

describe('the WARC files of a crawl', () => {
  test('are those whose names say so; one that a worker writes is left', async () => {
    const data = aFolder();
    const path = (name: string): string => join(data, 'warc', name);
    expect(await crawlFiles(data, 'test')).toEqual({ removable: OWN.map(path), beingWritten: [] });

    const written = workOn(data);
    expect(await crawlFiles(data, 'test')).toEqual({
      removable: [path(OWN[0] ?? '')],
      beingWritten: [written],
    });
  });

  test('that a killed worker left open go with their markers, and twice as well as once', async () => {
    const data = aFolder();
    const open = join(data, 'warc', OWN[1] ?? '');
    writeFileSync(`${open}.open`, '');
    const { removable } = await crawlFiles(data, 'test');

    await removeFiles(removable);
    await removeFiles(removable);

    expect([open, `${open}.open`].some((path) => existsSync(path))).toBe(false);
    expect(OTHERS.every((name) => existsSync(join(data, 'warc', name)))).toBe(true);
  });

  test('are none where there is no folder', async () => {
    expect(await crawlFiles('/nowhere/at/all', 'test')).toEqual({
      removable: [],
      beingWritten: [],
    });
  });
});

describe('a removal', () => {
  test('takes the rows and leaves the files, which it names', async ({ db }) => {
    await stopped(db);
    const data = aFolder();

    const { exitCode, out } = await remove(db, { yes: true }, { data });

    expect(exitCode).toBe(0);
    expect(out.split('\n')).toEqual([
      'test is removed',
      ...OWN.map((name) => `  kept     ${join(data, 'warc', name)}`),
      '',
    ]);
    expect(await findCrawl(db, 'test')).toBeUndefined();
    expect(await countOf(db, 'url')).toBe(0);
  });

  test('with its files takes those, but for one that is being written', async ({ db }) => {
    await stopped(db);
    const data = aFolder();
    const written = workOn(data);

    const { out } = await remove(db, { yes: true, warc: true }, { data, json: true });

    expect(JSON.parse(out)).toMatchObject({
      kind: 'removed',
      name: 'test',
      filesRemoved: [join(data, 'warc', OWN[0] ?? '')],
      filesKept: [written],
    });
    expect([...OWN, ...OTHERS].map((name) => existsSync(join(data, 'warc', name)))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test('asks on a terminal, and changes nothing without a yes', async ({ db }) => {
    await stopped(db);
    const data = aFolder();

    const refused = await remove(db, {}, { data, typed: 'n\n' });

    expect(refused).toMatchObject({ exitCode: 0, out: '' });
    expect(refused.err).toMatch(
      /^Remove the crawl "test" with \d+ URLs and \d+ fetch records? \(2 WARC files stay\)\? \[y\/N\] nothing was removed\n$/,
    );
    expect((await findCrawl(db, 'test'))?.removingSince).toBeNull();

    const wanted = await remove(db, { warc: true }, { data, typed: 'y\n' });

    expect(wanted.err).toMatch(/URLs, \d+ fetch records? and 2 WARC files\? /);
    expect(await findCrawl(db, 'test')).toBeUndefined();
  });

  test('is refused where nobody can be asked, where the crawl runs, and where there is none', async ({
    db,
  }) => {
    await stopped(db);
    const data = aFolder();
    expect((await remove(db, {}, { data })).exitCode).toMatch(/no terminal to ask on: add --yes/);
    expect((await remove(db, { name: 'tset', yes: true }, { data })).exitCode).toContain(
      'There is no crawl "tset": there is "test"',
    );
    await db.query(`update crawl set state = 'running'`);
    expect((await remove(db, { yes: true }, { data })).exitCode).toMatch(
      /"test" is running: stop it first, with "decorum stop test/,
    );
    expect(await countOf(db, 'url')).toBeGreaterThan(0);
  });

  test('that is interrupted says how to finish it, and is finished so', async ({ db }) => {
    await stopped(db);
    const data = aFolder();

    const broken = await remove(db, { yes: true }, { data, interrupted: true });

    expect(broken.exitCode).toBe(130);
    expect(broken.err).toContain('"test" is half removed; finish with: decorum crawls remove test');
    expect((await findCrawl(db, 'test'))?.removingSince).not.toBeNull();
    expect((await remove(db, { yes: true }, { data })).exitCode).toBe(0);
    expect(await findCrawl(db, 'test')).toBeUndefined();
  });
});
