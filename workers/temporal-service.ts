import { Connection } from '@temporalio/client';
import type { TemporalTarget } from './config.ts';
import { BadInput } from './server-errors.ts';

/** A Temporal service that is ready for crawls. */
export interface ReadyTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | undefined;
}

/**
 * Checks a Temporal service that the environment names, and registers our search attributes where they are missing.
 *
 * @throws BadInput where it does not answer, or does not let us register them.
 */
export async function prepareTemporal(target: TemporalTarget): Promise<ReadyTemporal> {
  const { address, namespace } = target;
  await connected(target, (connection) => addSearchAttributes(connection, namespace));
  return { address, namespace, uiUrl: undefined };
}

/**
 * Makes sure that a Temporal service which the environment names answers; changes nothing.
 *
 * @throws BadInput
 */
export async function checkTemporal(target: TemporalTarget): Promise<void> {
  await connected(target, () => Promise.resolve());
}

async function connected(
  target: TemporalTarget,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { address, namespace } = target;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...target.connection, connectTimeout: 8_000 });
    await connection.workflowService.describeNamespace({ namespace });
    await work(connection);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new BadInput(
      `Temporal at ${address}, namespace "${namespace}" (TEMPORAL_ADDRESS): ${said}; start it, or correct the address`,
      { cause },
    );
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

/** Whether a service answers for a namespace with our search attributes, which a dev server registers last. */
export async function isHealthy(address: string, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 2_000 });
    await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    return 'CrawlHost' in customAttributes && 'CrawlState' in customAttributes;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
