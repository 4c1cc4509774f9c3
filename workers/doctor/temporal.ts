import type { TemporalTarget } from '../config.ts';
import { fault, ok, reasonOf, warning, type Finding } from './finding.ts';

const NAME = 'Temporal';
const CONNECT_LIMIT_MS = 10_000;

/** Whether a Temporal service answers, with its namespace and our search attributes. Writes nothing. */
export async function temporalFinding(
  { address, namespace, connection: options }: TemporalTarget,
  { isNamed }: { readonly isNamed: boolean },
): Promise<Finding> {
  // Loaded when needed: it takes long.
  const { Connection } = await import('@temporalio/client');
  const remedy = isNamed
    ? 'start it, or correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE'
    : 'see logs/temporal.log in the data folder';
  const where = `${address}, namespace "${namespace}"`;
  let connection: Awaited<ReturnType<typeof Connection.connect>> | undefined;
  try {
    connection = await Connection.connect({ ...options, connectTimeout: CONNECT_LIMIT_MS });
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    return attributesFinding(Object.keys(customAttributes), `${serverVersion} at ${where}`);
  } catch (error) {
    return fault(NAME, `${where}: ${reasonOf(error)}`, remedy);
  } finally {
    await connection?.close();
  }
}

/** Whether a namespace has what hosts are found by in the web UI. */
export function attributesFinding(there: readonly string[], where: string): Finding {
  const missing = ['CrawlHost', 'CrawlState'].filter((name) => !there.includes(name));
  if (missing.length === 0) return ok(NAME, where);
  return warning(
    NAME,
    `${where}: search attributes missing: ${missing.join(', ')}`,
    'the next command adds them; if it may not, an operator: temporal operator search-attribute create',
  );
}
