import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import { expect, onTestFinished } from 'vitest';

import { test } from '../support/database.ts';
import { startCommand } from './support/command-run.ts';

/** The built command on a data folder that is not there yet; it must refuse and make nothing. */
async function refused(
  settings: Readonly<Record<string, string>>,
  { command = ['status'], data = 'data' }: { command?: readonly string[]; data?: string } = {},
): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'decorum-refused-'));
  onTestFinished(() => {
    rmSync(place, { recursive: true, force: true });
  });
  writeFileSync(join(place, 'file'), '');
  const run = startCommand([...command, '--data', join(place, data)], settings);
  expect(await run.exitCode, run.output()).toBe(2);
  expect(readdirSync(place)).toEqual(['file']);
  expect(run.output()).not.toContain('secret');
  expect(run.output()).not.toMatch(/^ +at /mu);
  return run.output();
}

const CRAWL = ['crawl', 'http://localhost:9/'];

function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

/** A loopback port that is taken by something that takes connections and says nothing. */
async function takenPort(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('a DATABASE_URL where nothing listens, by command, and a name that nobody knows', async () => {
  const DATABASE_URL = 'postgres://me:secret@127.0.0.1:1/crawls';
  expect(await refused({ DATABASE_URL })).toContain('127.0.0.1:1/crawls');
  expect(await refused({ DATABASE_URL }, { command: CRAWL })).toContain('nothing listens there');
  expect(await refused({ DATABASE_URL }, { command: ['migrate'] })).toContain('nothing listens');
  const unknown = 'postgres://me:secret@nowhere.invalid/crawls';
  expect(await refused({ DATABASE_URL: unknown })).toContain('"nowhere.invalid" is not known');
});

test('a DATABASE_URL with a wrong password, with a missing database, to no Postgres at all', async ({
  databaseUrl,
}) => {
  const wrong = changed(databaseUrl, (url) => (url.password = 'secret'));
  expect(await refused({ DATABASE_URL: wrong })).toContain('refuses the user');
  const missing = changed(databaseUrl, (url) => (url.pathname = '/none'));
  expect(await refused({ DATABASE_URL: missing })).toContain('has no database "none"');
  const mute = `postgres://me:secret@127.0.0.1:${await takenPort()}/crawls`;
  expect(await refused({ DATABASE_URL: mute })).toContain('does not answer as Postgres does');
});

test('a DATABASE_URL to a newer schema', async ({ databaseUrl }) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`insert into migration (name) values ('9999_later.sql')`);
  await client.end();

  expect(await refused({ DATABASE_URL: databaseUrl })).toContain('9999_later');
  const check = { command: ['migrate', '--check'] };
  expect(await refused({ DATABASE_URL: databaseUrl }, check)).toContain('use a newer Decorum');
});

test('a TEMPORAL_ADDRESS where nothing listens, and a worker without servers', async ({
  databaseUrl,
}) => {
  const TEMPORAL_ADDRESS = '127.0.0.1:1';
  expect(await refused({ TEMPORAL_ADDRESS }, { command: CRAWL })).toContain(TEMPORAL_ADDRESS);
  const named = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS };
  expect(await refused(named, { command: ['worker'] })).toContain(TEMPORAL_ADDRESS);
  expect(await refused({ TEMPORAL_ADDRESS }, { command: ['worker'] })).toContain('DATABASE_URL');
});

test('a data folder that is a file, or below one', async () => {
  for (const data of ['file', 'file/data']) {
    expect(await refused({}, { command: CRAWL, data })).toContain('--data');
  }
});

test('a chosen port that is taken, with who holds it', async () => {
  const port = String(await takenPort());
  const said = await refused({ DECORUM_POSTGRES_PORT: port }, { command: CRAWL });
  expect(said).toContain(`Port ${port}`);
  expect(said).toContain('DECORUM_POSTGRES_PORT');
  if (process.platform === 'linux') expect(said).toContain(`pid ${process.pid}`);
});
