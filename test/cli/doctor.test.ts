import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, afterEach, describe, expect } from 'vitest';
import type { Db } from '../../db/pool.ts';
import { packageRoot } from '../../workers/package-root.ts';
import { crawlUnderWay } from '../db/a-crawl-under-way.ts';
import { everything } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';

let folder = '';
let data = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'decorum-doctor-'));
  data = join(folder, 'data');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `decorum doctor` as a person would, after a shell's own words. */
function doctor(
  flags: readonly string[],
  { environment = {}, before = '' }: { environment?: Record<string, string>; before?: string } = {},
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  const main = join(packageRoot(), 'cli', 'main.ts');
  const command = `${before} exec "$0" --import tsx "$@"`;
  const words = [process.execPath, main, 'doctor', '--data', data, ...flags];
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['-c', command, ...words],
      { cwd: packageRoot(), env: { PATH, HOME, ...environment } },
      (error, out, err) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });
}

function findingsIn({ out }: Ran): readonly Record<string, unknown>[] {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('decorum doctor', () => {
  test('looks at what it can where there is no data folder, and makes none', async () => {
    const ran = await doctor([]);

    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    expect(ran.out).toMatch(/^ok {7}Node /);
    expect(ran.out).toMatch(/\n\d+ ok, \d+ warnings?, 0 faults\n$/);
    expect(existsSync(data)).toBe(false);
  });

  test('finds a low limit and a wrong setting, and exits with 2', async () => {
    const environment = { DECORUM_LOG_LEVEL: 'loud' };

    const ran = await doctor(['--json'], { environment, before: 'ulimit -n 256;' });

    expect(ran.exitCode).toBe(2);
    const findings = findingsIn(ran);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'settings', state: 'fault' }));
    const files = findings.find(({ check }) => check === 'open files');
    expect(files?.['state']).toBe('warning');
    expect(files?.['found']).toContain('at most 256: enough for 156 visits at once of the 1000');
    expect(findings.at(-1)).toMatchObject({ kind: 'doctor', faults: 1 });
  });

  test('looks at the servers that a configuration file names', async () => {
    const file = join(folder, 'decorum.yaml');
    writeFileSync(file, 'databaseUrl: postgres://127.0.0.1:1/nowhere\n');

    const ran = await doctor(['--json', '--config', file]);

    expect(ran.exitCode).toBe(2);
    const postgres = findingsIn(ran).find(({ check }) => check === 'Postgres');
    expect(postgres).toMatchObject({ state: 'fault' });
    expect(postgres?.['found']).toContain('127.0.0.1:1');
  });
});

describe('decorum doctor --deep', () => {
  test('says how many rows it compared, and changes none', async ({ db, databaseUrl }) => {
    await crawlUnderWay(db);
    const before = await everything(db);

    const ran = await deepDoctor(databaseUrl);

    expect(ran.exitCode, ran.out).toBe(0);
    expect(ran.err).toContain('comparing counts (1 of 7)');
    expect(findingsIn(ran)).toContainEqual(
      expect.objectContaining({ check: 'URLs known', state: 'ok', compared: 30, wrong: 0 }),
    );
    expect(await everything(db)).toBe(before);
    expect(existsSync(data)).toBe(false);
  });

  test('names a count that is wrong and a WARC file that is gone', async ({ db, databaseUrl }) => {
    await crawlUnderWay(db);
    await db.query('update shard set known = 7');
    await nameFiles(db);

    const ran = await deepDoctor(databaseUrl);

    expect(ran.exitCode).toBe(2);
    expect(
      findingsIn(ran)
        .filter(({ state }) => state === 'fault')
        .map(({ check, found }) => `${String(check)}: ${String(found)}`),
    ).toEqual([
      'URLs known: crawl "test": URLs known: expected 30, found 7',
      'WARC files: lost.warc.gz: expected 30 bytes or more, found no file',
    ]);
  });
});

function deepDoctor(databaseUrl: string): Promise<Ran> {
  return doctor(['--deep', '--json'], { environment: { DATABASE_URL: databaseUrl } });
}

async function nameFiles(db: Db): Promise<void> {
  await db.query(
    `update fetch_record set warc_file = 'lost.warc.gz', warc_offset = 10, warc_length = 20`,
  );
}
