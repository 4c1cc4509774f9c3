import { Connection } from '@temporalio/client';
import { migrate } from '../db/migrate.ts';
import type { TemporalTarget } from './config.ts';
import { BadInput, ServersUnreachable } from './server-errors.ts';

/** A Temporal service that is ready for crawls. */
export interface ReadyTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | undefined;
}

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

/**
 * Checks a Temporal service that the environment names, and registers our search attributes where they are missing.
 *
 * @throws ServersUnreachable where it does not answer, or does not let us register them.
 */
export async function prepareTemporal(target: TemporalTarget): Promise<ReadyTemporal> {
  const { address, namespace } = target;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...target.connection, connectTimeout: 10_000 });
    await connection.workflowService.describeNamespace({ namespace });
    await addSearchAttributes(connection, namespace);
    return { address, namespace, uiUrl: undefined };
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ServersUnreachable(`Temporal at ${address}, namespace "${namespace}": ${said}`, {
      cause,
    });
  } finally {
    await connection?.close();
  }
}

// temporal.api.enums.v1.IndexedValueType
const KEYWORD = 2;

async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { operatorService } = connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = ['CrawlHost', 'CrawlState'].filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  try {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (cause) {
    throw new Error(
      `the search attributes ${missing.join(' and ')} (type Keyword) are missing and cannot be added from here: add them with "temporal operator search-attribute create"`,
      { cause },
    );
  }
}

/** A refused connection to several addresses has an empty message. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'no answer';
}
