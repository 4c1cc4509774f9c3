import {
  migrate,
  NewerSchema,
  readSchema,
  type MigrationReport,
  type SchemaState,
} from '../db/migrate.ts';
import { BadInput, ServersUnreachable } from './server-errors.ts';

/**
 * Brings a database, ours or one that the environment names, to this version's schema.
 *
 * @throws BadInput where a newer Decorum has been at it, or a named one does not let us in; ServersUnreachable where
 * our own does not answer.
 */
export async function prepareDatabase(
  databaseUrl: string,
  { isNamed }: { readonly isNamed: boolean },
): Promise<MigrationReport> {
  try {
    return await migrate(databaseUrl);
  } catch (cause) {
    throw faultOf(databaseUrl, cause, isNamed);
  }
}

/**
 * Makes sure that a database answers and is none of a newer Decorum's; changes nothing.
 *
 * @throws as `prepareDatabase`; of a named server BadInput with its place, without its password, and the remedy.
 */
export async function checkDatabase(
  databaseUrl: string,
  { isNamed }: { readonly isNamed: boolean },
): Promise<SchemaState> {
  try {
    const state = await readSchema(databaseUrl);
    if (state.unknown.length > 0) throw new NewerSchema(state.unknown);
    return state;
  } catch (cause) {
    throw faultOf(databaseUrl, cause, isNamed);
  }
}

function faultOf(databaseUrl: string, cause: unknown, isNamed: boolean): Error {
  const said = cause instanceof Error ? cause.message : String(cause);
  const { host, hostname, pathname, username } = new URL(databaseUrl);
  const place = `Postgres at ${host}${pathname}`;
  if (cause instanceof NewerSchema) return new BadInput(`${place}: ${said}`, { cause });
  if (!isNamed) return new ServersUnreachable(`${place}: ${said || codeOf(cause)}`, { cause });
  const why =
    remedyOf(cause, { hostname, database: pathname.slice(1), username }) ??
    `${said || codeOf(cause)}: correct it`;
  return new BadInput(`${place} (DATABASE_URL): ${why}`, { cause });
}

interface Named {
  readonly hostname: string;
  readonly database: string;
  readonly username: string;
}

function remedyOf(cause: unknown, { hostname, database, username }: Named): string | undefined {
  switch (codeOf(cause)) {
    case 'ECONNREFUSED':
      return 'nothing listens there; start the server, or correct host and port';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name "${hostname}" is not known; correct it`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'it cannot be reached from here; correct host and port';
    // PostgreSQL, appendix A: invalid_authorization_specification, invalid_password, invalid_catalog_name.
    case '28000':
    case '28P01':
      return `it refuses the user "${username}" with this password; correct them`;
    case '3D000':
      return `it has no database "${database}"; make it (createdb ${database}), or name another`;
  }
  const said = cause instanceof Error ? cause.message : '';
  if (/timeout/.test(said)) return 'it does not answer as Postgres does; correct host and port';
  if (/^Connection terminated|ECONNRESET|unexpected/i.test(said)) {
    return 'what listens there does not speak as Postgres does; correct host and port';
  }
  return undefined;
}

/** A refused connection to several addresses has an empty message. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'no answer';
}
