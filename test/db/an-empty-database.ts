import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { connectDatabase, type Db } from '../../db/pool.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations');

/** The URL of a database without anything in it, dropped after the test. */
export async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create database ${name}`);
  onTestFinished(() => asAdmin(`drop database if exists ${name} with (force)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** A database as it was before a migration, to be filled and then brought forward. */
export async function databaseBefore(
  migration: string,
): Promise<{ readonly url: string; readonly db: Db }> {
  const url = await emptyDatabase();
  const db = connectDatabase(url);
  onTestFinished(() => db.end());
  await db.query(
    `create table migration (name text primary key, applied_at timestamptz default now() not null)`,
  );
  const names = (await readdir(MIGRATIONS)).filter((name) => name < migration).sort();
  for (const name of names) {
    await db.query(await readFile(join(MIGRATIONS, name), 'utf8'));
    await db.query('insert into migration (name) values ($1)', [name]);
  }
  return { url, db };
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
