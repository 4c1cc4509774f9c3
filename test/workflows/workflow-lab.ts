import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { prepareTemporal } from '../../workers/temporal-service.ts';
import type { HostInput } from '../../workflows/back-queue.ts';
import { host } from '../../workflows/host.ts';
import { hostWorkflowId } from '../../workflows/ids.ts';
import { CrawlHost, CrawlState, feed } from '../../workflows/messages.ts';
import { startTemporal } from '../support/temporal.ts';
import { workflowBundle } from './bundle.ts';
import { ScriptedWorld } from './scripted-world.ts';

/** One event of a history, as JSON has it. */
export interface HistoryEvent {
  readonly eventType: string;
  readonly userMetadata?: { readonly summary?: { readonly data?: string } };
  readonly [attributes: string]: unknown;
}

/** A history as Temporal's tools write it. */
export interface JsonHistory {
  readonly events: readonly HistoryEvent[];
}

/** A real server and a real worker with our workflows, and a scripted world around them. */
export interface WorkflowLab {
  readonly client: Client;
  readonly world: ScriptedWorld;
  readonly taskQueue: string;
  /** A host key or a crawl's name that no other test has. */
  readonly freshName: (about: string) => string;
  /** Starts a host's workflow with a feed, as the prioritizer does. */
  readonly feedHost: (
    hostKey: string,
    input?: Partial<HostInput>,
  ) => Promise<WorkflowHandle<typeof host>>;
  readonly close: () => Promise<void>;
}

/** How histories name who wrote them: nothing of the machine where they were recorded. */
const IDENTITY = 'decorum';

export async function openWorkflowLab(): Promise<WorkflowLab> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const temporal = await startTemporal();
  const { address, namespace, prefix } = temporal;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace, identity: IDENTITY });
  await prepareTemporal({ address, namespace, connection: { address } });
  const world = new ScriptedWorld();
  const native = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: prefix,
    identity: IDENTITY,
    workflowBundle: await workflowBundle(),
    activities: world.activities,
  });
  const running = worker.run();
  let names = 0;
  return {
    client,
    world,
    taskQueue: prefix,
    freshName: (about) => `${about}-${String((names += 1))}.${prefix}.test`,
    feedHost: (hostKey, input = {}) =>
      client.workflow.signalWithStart(host, {
        workflowId: hostWorkflowId(hostKey),
        taskQueue: prefix,
        args: [{ hostId: 1, hostKey, ...input }],
        signal: feed,
        signalArgs: [{ batch: '1', count: 1, budget: { pages: 1, ms: 60_000 } }],
        typedSearchAttributes: [
          { key: CrawlHost, value: hostKey },
          { key: CrawlState, value: 'idle' },
        ],
      }),
    close: async () => {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
      await temporal.close();
    },
  };
}

/** The history of one run, the present one where none is named. */
export async function historyOf(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<JsonHistory> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return JSON.parse(historyToJSON(history)) as JsonHistory;
}

/** How many events of that type there are; `type` without its prefix. */
export function countOf({ events }: JsonHistory, type: string): number {
  return events.filter(({ eventType }) => eventType === `EVENT_TYPE_${type}`).length;
}

/** Waits until it is so; fails with what it waited for after a minute. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`Not within a minute: ${what}`);
    await pause(20);
  }
}

/** Something to wait for, let go from outside. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
