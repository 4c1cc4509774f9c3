import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from './bundle.ts';

/** Histories that real servers wrote, one a file. */
export const historiesFolder = join(import.meta.dirname, 'histories');

/** Runs today's workflows over a history; rejects where their commands are not the ones that it tells of. */
export async function replay(history: { readonly events: readonly object[] }): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history);
}
