import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, test as plain } from 'vitest';
import { connectDatabase, type Db } from '../../db/pool.ts';

/** What a test that asks for a database gets: one of its own, migrated and empty. */
export interface DatabaseFixtures {
  readonly databaseUrl: string;
  readonly db: Db;
}

/** `test` with a database cloned from the run's template (about 0.1 s), made on first use and dropped after. */
export const test = plain.extend<DatabaseFixtures>({
  databaseUrl: async ({}, use) => {
    const database = await cloneTemplate();
    await use(database.url);
    await database.drop();
  },
  db: async ({ databaseUrl }, use) => {
    const db = connectDatabase(databaseUrl);
    await use(db);
    await db.end();
  },
});

/** A database of one's own outside the fixture, for a `beforeAll`; `drop` it after. */
export async function cloneTemplate(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create database ${name} template decorum_template`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(`drop database if exists ${name} with (force)`) };
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
