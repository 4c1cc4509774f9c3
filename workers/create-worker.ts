import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { TASK_QUEUE } from '../workflows/ids.ts';
import type { TemporalTarget, WorkerConfig } from './config.ts';
import { workflowSource } from './workflow-source.ts';

/**
 * Workflows that stay in memory for each visit that the worker may make at once: those of live hosts, and as many that
 * wait for new URLs, so that none has to be replayed to go on.
 */
const CACHED_WORKFLOWS_A_VISIT = 2;

/** With few slots for visits, hosts whose gaps are durable timers are live all the same. */
const LEAST_CACHED_WORKFLOWS = 2_000;

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
    maxCachedWorkflows: Math.max(visitsAtOnce * CACHED_WORKFLOWS_A_VISIT, LEAST_CACHED_WORKFLOWS),
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
  });
  return { worker, connection: native };
}
