import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import type { RunTemporal } from './temporal-on-demand.ts';

/** The run's Temporal server, as one test file sees it. */
export interface TestTemporal extends RunTemporal {
  readonly client: Client;
  /** For the workers that the file makes. */
  readonly workerConnection: NativeConnection;
  /** Nobody else's: use it as, or in front of, task queues and workflow ids. */
  readonly prefix: string;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the run's one Temporal server, starting it the first time (a few seconds). Call it in `beforeAll`, and
 * `close` in `afterAll`.
 */
export async function startTemporal(): Promise<TestTemporal> {
  const answer = await fetch(inject('temporalStarterUrl'));
  if (!answer.ok) throw new Error(`No Temporal for tests: ${await answer.text()}`);
  const run = (await answer.json()) as RunTemporal;
  const { address, namespace } = run;
  const connection = await Connection.connect({ address });
  const workerConnection = await NativeConnection.connect({ address });
  return {
    ...run,
    client: new Client({ connection, namespace }),
    workerConnection,
    prefix: `test-${randomBytes(4).toString('hex')}`,
    close: async () => {
      await connection.close();
      await workerConnection.close();
    },
  };
}
