import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { connectDatabase } from '../../../db/pool.ts';
import { loadConfig, type Environment } from '../../../workers/config.ts';
import { openDataFolder, writeRecord, type DataFolder } from '../../../workers/data-folder.ts';
import { examine, type Finding } from '../../../workers/doctor/examine.ts';
import { whereToLook } from '../../../workers/doctor/where-to-look.ts';
import { archiveFinding } from '../../../workers/doctor/warc-folder.ts';
import { startPostgres } from '../../../workers/embedded-postgres.ts';
import { openServers } from '../../../workers/open-servers.ts';
import { postgresHome } from '../../../workers/postgres-home.ts';
import { hasEnded, identify, signalProcess, type ProcessId } from '../../../workers/processes.ts';
import { cloneTemplate, test } from '../../support/database.ts';
import { runningCrawl } from '../../db/a-frontier.ts';
import { startTemporal } from '../../support/temporal.ts';

/** Above the pids that systems hand out. */
const NOBODY: ProcessId = { pid: 2 ** 22 + 1, startedAt: 'once' };

describe('a data folder', () => {
  test('that is not there is no fault, and is not made', async () => {
    const dataDir = join(aFolder(), 'data');

    const findings = await findingsOf(dataDir);

    expect(findings.filter(({ state }) => state === 'fault')).toEqual([]);
    expect(about(findings, 'data folder')).toMatchObject({ state: 'ok' });
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each([
    ['is a file', (file: string) => file, /is no folder/],
    ['could only be made in a file', (file: string) => join(file, 'data'), /cannot be written/],
  ])('that %s is a fault', async (_what, dataDirOf, told) => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');

    const finding = about(await findingsOf(dataDirOf(file)), 'data folder');

    expect(finding).toMatchObject({ state: 'fault' });
    expect(finding.found).toMatch(told);
  });

  test('with a record that cannot be read is a warning', async () => {
    const folder = aDataFolder();
    writeFileSync(folder.recordFile, '{ "supervisor": ');

    expect(about(await findingsOf(folder.path), 'servers.json')).toMatchObject({
      state: 'warning',
    });
  });
});

describe('a lock', () => {
  test.each<[what: string, text: string, told: RegExp]>([
    ['of a supervisor that was killed', JSON.stringify(NOBODY), /^left by supervisor 4194305/],
    [
      'whose process id belongs to another program by now',
      JSON.stringify({ ...NOBODY, pid: process.pid }),
      new RegExp(`process ${process.pid} is another program by now`),
    ],
    ['that says nothing', '', /does not say who made it/],
  ])('%s is a warning', async (_what, text, told) => {
    const folder = aDataFolder();
    writeFileSync(folder.lockFile, text);

    const finding = about(await findingsOf(folder.path), 'lock');

    expect(finding).toMatchObject({ state: 'warning' });
    expect(finding.found).toMatch(told);
  });

  test('of a supervisor that lives and does not answer is a fault', async () => {
    const folder = aDataFolder();
    const supervisor = idOf(aProcess());
    writeFileSync(folder.lockFile, JSON.stringify(supervisor));
    writeRecord(folder, { supervisor, controlPort: 1, ports: {} });

    const finding = about(await findingsOf(folder.path), 'lock');

    expect(finding).toMatchObject({ state: 'fault' });
    expect(finding.found).toContain(`supervisor ${supervisor.pid} lives, but does not answer`);
  });
});

describe('what a kill leaves', () => {
  test('a Postgres whose supervisor was killed is told by its process id, and the lock is stale', async () => {
    const { path: dataDir } = aDataFolder();
    const servers = await openServers({ dataDir, need: 'database', say: () => undefined });
    const { supervisor, postgres } = servers.ownPids();
    const supervisorId = identify(supervisor);
    expect(about(await findingsOf(dataDir), 'lock').found).toBe(`supervisor ${supervisor} runs`);

    if (supervisorId !== undefined) signalProcess(supervisorId, 'SIGKILL');
    await servers.lost;
    const findings = await findingsOf(dataDir);

    expect(about(findings, 'lock').found).toContain(`left by supervisor ${supervisor}`);
    expect(about(findings, 'leftover processes')).toMatchObject({ state: 'warning' });
    expect(about(findings, 'leftover processes').found).toContain(`Postgres (${postgres ?? ''})`);
    // The record still says where it answers.
    expect(about(findings, 'schema')).toMatchObject({ state: 'ok' });
    const next = await openServers({ dataDir, need: 'database', say: () => undefined });
    expect(about(await findingsOf(dataDir), 'leftover processes')).toMatchObject({ state: 'ok' });
    await next.leave();
  });

  test('a Postgres that no record names is found by its cluster', async () => {
    const { path: dataDir, logs } = aDataFolder();
    const postgres = await startPostgres({
      dataDir,
      logFile: join(logs, 'postgres.log'),
      throwaway: true,
    });
    onTestFinished(() => postgres.stop());

    const { found } = about(await findingsOf(dataDir), 'leftover processes');

    expect(found).toContain(`Postgres (${postgres.process.pid})`);
  });

  test('a worker that outlived its supervisor is told', async () => {
    const folder = aDataFolder();
    const worker = idOf(aProcess());
    writeRecord(folder, { supervisor: NOBODY, workers: [worker], ports: {} });

    expect(about(await findingsOf(folder.path), 'leftover processes').found).toContain(
      `a worker (${worker.pid})`,
    );
  });

  test('a WARC file that was left open is a warning', async () => {
    const { path, warc } = aDataFolder();
    writeFileSync(join(warc, 'a.warc.gz'), '');
    writeFileSync(join(warc, 'a.warc.gz.open'), '');

    const finding = about(await findingsOf(path), 'WARC folder');

    expect(finding).toMatchObject({ state: 'warning' });
    expect(finding.found).toContain('left open by a worker that was killed: a.warc.gz');
  });
});

test('a WARC file that cannot be read is a fault', async () => {
  const { path, warc } = aDataFolder();
  symlinkSync(join(warc, 'nowhere'), join(warc, 'a.warc.gz'));

  expect(about(await findingsOf(path), 'WARC folder')).toMatchObject({
    state: 'fault',
    found: 'cannot be read: a.warc.gz',
  });
});

test('a WARC file that is missing, or shorter than its records say, is a fault', () => {
  const { warc } = aDataFolder();
  writeFileSync(join(warc, 'short.warc.gz'), 'ten bytes.');
  const recorded = [
    { file: 'gone.warc.gz', endBytes: 5, records: 1 },
    { file: 'short.warc.gz', endBytes: 11, records: 2 },
  ];

  const { state, found } = archiveFinding(warc, recorded);

  expect(state).toBe('fault');
  expect(found).toContain('gone.warc.gz: expected 5 bytes or more, found no file');
  expect(found).toContain('short.warc.gz: expected 11 bytes or more, found 10 (2 records)');
  expect(archiveFinding(warc, [{ file: 'short.warc.gz', endBytes: 10, records: 2 }]).state).toBe(
    'ok',
  );
});

describe('a port that another program has', () => {
  test('is a warning where it was the one of the last time', async () => {
    const folder = aDataFolder();
    const port = await aTakenPort();
    writeRecord(folder, { ports: { temporalUi: port } });

    const finding = about(await findingsOf(folder.path), 'ports');

    expect(finding).toMatchObject({ state: 'warning' });
    expect(finding.found).toContain(`temporalUi ${port}`);
  });

  test('is a fault where it is wished for', async () => {
    const port = await aTakenPort();

    const findings = await findingsOf(aFolder(), { DECORUM_POSTGRES_PORT: String(port) });

    expect(about(findings, 'ports')).toMatchObject({ state: 'fault' });
    expect(about(findings, 'ports').found).toContain(`postgres ${port}`);
  });
});

describe('settings', () => {
  test('that are wrong are a fault, and the rest is looked at', async () => {
    const findings = await findingsOf(aFolder(), { DATABASE_URL: 'mysql://a/b' });

    expect(about(findings, 'settings')).toMatchObject({ state: 'fault' });
    expect(about(findings, 'settings').found).toContain('DATABASE_URL is "mysql://a/b"');
    expect(findings.length).toBeGreaterThan(10);
  });

  test('that name a Temporal command line which does not run are a fault', async () => {
    const findings = await findingsOf(aFolder(), { TEMPORAL_CLI: '/nowhere/temporal' });

    expect(about(findings, 'Temporal CLI')).toMatchObject({ state: 'fault' });
  });

  test('without any Temporal command line are a warning', async () => {
    const bare = { PATH: aFolder(), XDG_CACHE_HOME: aFolder(), TEMPORAL_CLI: '' };

    expect(about(await findingsOf(aFolder(), bare), 'Temporal CLI')).toMatchObject({
      state: 'warning',
    });
  });
});

describe('servers that the environment names', () => {
  test('answer, with version and schema', async ({ databaseUrl }) => {
    const { address, close } = await startTemporal();
    await close();

    const findings = await findingsOf(aFolder(), {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: address,
    });

    for (const check of ['Postgres', 'clock', 'schema', 'Temporal']) {
      expect(about(findings, check)).toMatchObject({ state: 'ok' });
    }
    expect(about(findings, 'Postgres').found).toMatch(/^18\.\d+ at 127\.0\.0\.1/);
    expect(about(findings, 'Temporal').found).toMatch(/^\d+\.\d+\.\d+ at /);
  });

  test('or do not answer, which is a fault without a password in it', async () => {
    const findings = await findingsOf(aFolder(), {
      DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/crawls',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });

    expect(about(findings, 'Postgres')).toMatchObject({ state: 'fault' });
    expect(about(findings, 'Postgres').found).toContain('127.0.0.1:1/crawls: ');
    expect(about(findings, 'Temporal')).toMatchObject({ state: 'fault' });
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  test('a namespace that is not there is a fault', async () => {
    const { address, close } = await startTemporal();
    await close();

    const findings = await findingsOf(aFolder(), {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: 'nowhere',
    });

    expect(about(findings, 'Temporal')).toMatchObject({ state: 'fault' });
    expect(about(findings, 'Temporal').found).toContain('nowhere');
  });

  test('a schema that a newer Decorum has left is a fault', async ({ db, databaseUrl }) => {
    await db.query(`insert into migration (name) values ('9999_later.sql')`);

    const findings = await findingsOf(aFolder(), { DATABASE_URL: databaseUrl });

    expect(about(findings, 'schema')).toMatchObject({
      state: 'fault',
      found: 'newer than this Decorum: 9999_later.sql',
    });
  });

  test('a schema of an older Decorum is a warning, and stays as it is', async ({
    db,
    databaseUrl,
  }) => {
    await db.query(`delete from migration where name = (select max(name) from migration)`);
    const before = await db.query('select name from migration');

    const findings = await findingsOf(aFolder(), { DATABASE_URL: databaseUrl });

    expect(about(findings, 'schema')).toMatchObject({ state: 'warning' });
    expect((await db.query('select name from migration')).rows).toEqual(before.rows);
  });

  test('a crawl that wants more room than the disk has is a fault', async ({ db, databaseUrl }) => {
    await runningCrawl(db, { minFreeBytes: Number.MAX_SAFE_INTEGER });

    const findings = await findingsOf(aFolder(), { DATABASE_URL: databaseUrl });

    expect(about(findings, 'disk')).toMatchObject({ state: 'fault' });
  });

  test('an empty database is filled by the first command, not by this one', async () => {
    const { url, drop } = await cloneTemplate();
    onTestFinished(drop);
    const empty = new URL(url);
    empty.pathname = '/postgres';

    const findings = await findingsOf(aFolder(), { DATABASE_URL: empty.href });

    expect(about(findings, 'schema').found).toMatch(/^an empty database/);
  });
});

describe('a deep look', () => {
  test.each([
    ['of a newer Decorum', `insert into migration (name) values ('9999_later.sql')`],
    ['of an older Decorum', `delete from migration where name like '0001%'`],
  ])('does not compare the rows of a schema %s', async (_what, change) => {
    const { url, drop } = await cloneTemplate();
    onTestFinished(drop);
    const db = connectDatabase(url, { max: 1 });
    await db.query(change);
    await db.end();

    const place = await whereToLook(aFolder(), () => loadConfig({ DATABASE_URL: url }));

    expect(place).toMatchObject({ kind: 'nowhere', finding: { state: 'warning' } });
  });

  test('has nothing to compare where there is no database, or none that answers', async () => {
    const silent = 'postgres://127.0.0.1:1/crawls';

    expect(await whereToLook(aFolder(), () => loadConfig({}))).toMatchObject({
      finding: { state: 'ok' },
    });
    expect(await whereToLook(aFolder(), () => loadConfig({ DATABASE_URL: silent }))).toMatchObject({
      finding: { state: 'warning' },
    });
  });
});

async function findingsOf(
  dataDir: string,
  environment: Environment = {},
): Promise<readonly Finding[]> {
  const { PATH, HOME } = process.env;
  const readConfig = () => loadConfig({ PATH, HOME, ...environment });
  const findings: Finding[] = [];
  for await (const finding of examine({ dataDir, readConfig })) findings.push(finding);
  return findings;
}

function about(findings: readonly Finding[], check: string): Finding {
  const found = findings.find((finding) => finding.check === check);
  if (found === undefined) throw new Error(`Nothing was said about "${check}"`);
  return found;
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-doctor-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return folder;
}

function aDataFolder(): DataFolder {
  const path = join(aFolder(), 'data');
  mkdirSync(path);
  onTestFinished(async () => {
    const { folder } = await postgresHome(path).catch(() => ({ folder: path }));
    rmSync(folder, { recursive: true, force: true });
  });
  return openDataFolder(path);
}

function aProcess(): ChildProcess {
  const child = spawn('sleep', ['120']);
  onTestFinished(async () => {
    const id = identify(child.pid ?? 0);
    child.kill('SIGKILL');
    if (id !== undefined) await hasEnded(id, 5_000);
  });
  return child;
}

function idOf({ pid = 0 }: ChildProcess): ProcessId {
  const id = identify(pid);
  if (id === undefined) throw new Error('The process could not be started');
  return id;
}

async function aTakenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
