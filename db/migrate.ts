import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

const LOCK = `select pg_advisory_lock(hashtext('decorum migrations'))`;

const CREATE_LEDGER = `
  create table if not exists migration (
    name        text primary key,
    applied_at  timestamptz not null default now()
  )`;

const APPLIED = `
  select name
    from migration
   order by name`;

const RECORD = `
  insert into migration (name)
  values ($1)`;

/** Thrown where the database has migrations that this version of Decorum does not know. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/**
 * Brings the database to this version's schema: applies `migrations/*.sql` in the order of their names, each in a
 * transaction of its own, one process at a time. Forward only; calling it again does nothing.
 *
 * @throws NewerSchema where the database was migrated by a newer Decorum.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'decorum migrate',
  });
  await client.connect();
  try {
    await client.query(LOCK);
    await client.query(CREATE_LEDGER);
    await applyPending(client);
  } finally {
    await client.end();
  }
}

async function applyPending(client: pg.Client): Promise<void> {
  const folder = migrationsFolder();
  const known = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const { rows } = await client.query<{ name: string }>(APPLIED);
  const applied = new Set(rows.map(({ name }) => name));

  const unknown = [...applied].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new NewerSchema(
      `The database has migration "${unknown.join('", "')}", which this Decorum does not know: use a newer Decorum.`,
    );
  }
  for (const name of known) {
    if (!applied.has(name))
      await applyOne(client, name, await readFile(join(folder, name), 'utf8'));
  }
}

async function applyOne(client: pg.Client, name: string, sql: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(RECORD, [name]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new Error(`Migration "${name}" failed`, { cause });
  }
}

/** `migrations/` stands beside `db/` in the sources and one level above the built files. */
function migrationsFolder(): string {
  const here = import.meta.dirname;
  return here.endsWith(join('dist', 'db'))
    ? join(here, '..', '..', 'migrations')
    : join(here, '..', 'migrations');
}
