import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

const LOCK = `select pg_advisory_lock(hashtext('decorum migrations'))`;

const HAS_LEDGER = `
  select to_regclass('migration') is not null as "hasLedger"`;

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

  constructor(unknown: readonly string[]) {
    super(
      `The database has migration "${unknown.join('", "')}", which this Decorum does not know: use a newer Decorum.`,
    );
  }
}

/** Where a database's schema stands: names of migrations in the order of their application. */
export interface SchemaState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer Decorum. */
  readonly unknown: readonly string[];
}

/** What bringing a database up to date did. */
export interface MigrationReport {
  /** The last migration that was there already; `undefined` where the database was empty. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly applied: readonly string[];
}

/** Looks at a database's schema and changes nothing. */
export async function readSchema(databaseUrl: string): Promise<SchemaState> {
  return connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ hasLedger: boolean }>(HAS_LEDGER);
    return stateOf(rows[0]?.hasLedger === true ? await appliedIn(client) : []);
  });
}

/**
 * Brings the database to this version's schema: applies `migrations/*.sql` in the order of their names, each in a
 * transaction of its own, one process at a time. Forward only; calling it again does nothing.
 *
 * @throws NewerSchema where the database was migrated by a newer Decorum.
 */
export async function migrate(databaseUrl: string): Promise<MigrationReport> {
  return connected(databaseUrl, async (client) => {
    await client.query(LOCK);
    await client.query(CREATE_LEDGER);
    const { applied, pending, unknown } = await stateOf(await appliedIn(client));
    if (unknown.length > 0) throw new NewerSchema(unknown);
    const folder = migrationsFolder();
    for (const name of pending) {
      await applyOne(client, name, await readFile(join(folder, name), 'utf8'));
    }
    const from = applied.at(-1);
    return { from, to: pending.at(-1) ?? from, applied: pending };
  });
}

/** Long enough for a server far away; a program that is no Postgres may never answer. */
const CONNECT_LIMIT_MS = 8_000;

async function connected<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'decorum migrate',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A connection that dies fails the query in progress; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function appliedIn(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(APPLIED);
  return rows.map(({ name }) => name);
}

async function stateOf(applied: readonly string[]): Promise<SchemaState> {
  const files = await readdir(migrationsFolder());
  const known = files.filter((name) => name.endsWith('.sql')).sort();
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
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
