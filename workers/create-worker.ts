import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { TASK_QUEUE } from '../workflows/ids.ts';
import type { TemporalTarget, WorkerConfig } from './config.ts';
import { workflowSource } from './workflow-source.ts';

/** Hosts whose workflows stay in memory, at 150 to 200 KB each; more than twice the default cap of live hosts. */
const CACHED_WORKFLOWS = 2_000;

/** How long visits may take to finish their page at shutdown. */
export const SHUTDOWN_GRACE_MS = 25_000;

/** A worker of this process, not yet running. */
export async function createWorker(
  { address, namespace, connection }: TemporalTarget,
  deps: ActivityDeps,
  { visitsAtOnce, workflowStacks }: Pick<WorkerConfig, 'visitsAtOnce' | 'workflowStacks'>,
): Promise<{ readonly worker: Worker; readonly connection: NativeConnection }> {
  const native = await NativeConnection.connect({ ...connection, address });
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: TASK_QUEUE,
    ...workflowSource({ stacks: workflowStacks }),
    activities: createActivities(deps),
    maxConcurrentActivityTaskExecutions: visitsAtOnce,
    maxConcurrentLocalActivityExecutions: 50,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: CACHED_WORKFLOWS,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
  });
  return { worker, connection: native };
}
