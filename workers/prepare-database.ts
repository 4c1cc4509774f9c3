import { migrate } from '../db/migrate.ts';
import { BadInput, ServersUnreachable } from './server-errors.ts';

/**
 * Brings a database, ours or one that the environment names, to this version's schema.
 *
 * @throws ServersUnreachable where it does not answer, BadInput where a newer Decorum has been at it.
 */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  try {
    await migrate(databaseUrl);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof Error && cause.name === 'NewerSchema') throw new BadInput(said, { cause });
    const { host, pathname } = new URL(databaseUrl);
    throw new ServersUnreachable(`Postgres at ${host}${pathname}: ${said || codeOf(cause)}`, {
      cause,
    });
  }
}

/** A refused connection to several addresses has an empty message. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'no answer';
}
