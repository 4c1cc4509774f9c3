import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  Connection,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { findCrawl, markStopping, type CrawlRow } from '../db/crawls.ts';
import { ensureHost } from '../db/leases.ts';
import { connectDatabase, type Db } from '../db/pool.ts';
import type { HostKey } from '../domain/host-key.ts';
import { crawl } from '../workflows/crawl.ts';
import { host } from '../workflows/host.ts';
import { housekeeping } from '../workflows/housekeeping.ts';
import {
  crawlWorkflowId,
  hostWorkflowId,
  prioritizerWorkflowId,
  TASK_QUEUE,
} from '../workflows/ids.ts';
import { CrawlHost, CrawlState, pause, resume, stop, wake } from '../workflows/messages.ts';
import type { TemporalTarget } from './config.ts';

/** What a person's commands do to workflows. */
export interface Control {
  /** Starts a crawl's workflow, or wakes the one that runs. */
  readonly startCrawl: (crawl: CrawlRow) => Promise<void>;
  /** Lets a running crawl's prioritizers look at once at what was written for them. */
  readonly wakeCrawl: (crawl: Pick<CrawlRow, 'name' | 'settings'>) => Promise<void>;
  /** Refuses further claims at once and lets the workflow end; the crawl is `stopped` when nothing is in flight. */
  readonly stopCrawl: (crawl: { readonly name: string; readonly crawlId: number }) => Promise<void>;
  /** Tells a host's workflow of a hold that its row has under that sequence. */
  readonly pauseHost: (
    host: HostKey,
    hold: { readonly who: string; readonly why: string; readonly until?: Date },
    sequence: number,
  ) => Promise<void>;
  readonly resumeHost: (host: HostKey, who: string, sequence: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How often housekeeping runs; our choice: what was lost comes back within two minutes. */
const HOUSEKEEPING_EVERY = '1 minute';

/** Connects to Temporal and makes sure of what the workflows need there. */
export async function connectControl({
  temporal,
  databaseUrl,
}: {
  readonly temporal: TemporalTarget | undefined;
  readonly databaseUrl: string;
}): Promise<Control> {
  if (temporal === undefined) throw new Error('No Temporal was asked for');
  const { address, namespace, connection } = temporal;
  const client = new Client({
    connection: await Connection.connect({ ...connection, address }),
    namespace,
  });
  const db = connectDatabase(databaseUrl, { max: 2, applicationName: 'decorum control' });
  return {
    startCrawl: async (row) => {
      await ensureSchedule(client);
      await startCrawl(client, db, row);
    },
    wakeCrawl: (row) => wakePrioritizers(client, row),
    stopCrawl: async ({ name, crawlId }) => {
      await markStopping(db, crawlId);
      await ifThere(client.workflow.getHandle(crawlWorkflowId(name)).signal(stop));
    },
    pauseHost: async (hostKey, { who, why, until }, sequence) => {
      const order = {
        who,
        why,
        sequence,
        ...(until === undefined ? {} : { until: until.toISOString() }),
      };
      await pauseHost(client, db, hostKey, order);
    },
    resumeHost: async (hostKey, who, sequence) => {
      await ifThere(
        client.workflow.getHandle(hostWorkflowId(hostKey)).signal(resume, { who, sequence }),
      );
    },
    close: async () => {
      await client.connection.close();
      await db.end();
    },
  };
}

/** For a crawl whose workflow is about to end or to begin, in milliseconds; our choice. */
const LOOK_AGAIN_MS = 200;
const GIVE_UP_AFTER_MS = 120_000;

/**
 * Starts the crawl's workflow, or wakes the one that runs. One that is ending (a stop under way) runs on for a moment
 * after Postgres says so: then it is started again when it has ended.
 */
async function startCrawl(client: Client, db: Db, { name, settings }: CrawlRow): Promise<void> {
  const giveUpAtMs = performance.now() + GIVE_UP_AFTER_MS;
  while (!(await isStarted(client, name))) {
    if ((await findCrawl(db, name))?.state === 'running') {
      await ifThere(client.workflow.getHandle(crawlWorkflowId(name)).signal(wake));
      await wakePrioritizers(client, { name, settings });
      return;
    }
    if (performance.now() > giveUpAtMs) {
      throw new Error(
        `The workflow ${crawlWorkflowId(name)} neither runs nor ends: see it in the Temporal UI`,
      );
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

async function wakePrioritizers(
  client: Client,
  { name, settings: { shards } }: Pick<CrawlRow, 'name' | 'settings'>,
): Promise<void> {
  for (let shard = 0; shard < shards; shard += 1) {
    await ifThere(client.workflow.getHandle(prioritizerWorkflowId(name, shard)).signal(wake));
  }
}

async function isStarted(client: Client, name: string): Promise<boolean> {
  try {
    await client.workflow.start(crawl, {
      workflowId: crawlWorkflowId(name),
      taskQueue: TASK_QUEUE,
      args: [{ name }],
      staticSummary: `crawl ${name}`,
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** Starts the host's workflow where it has none: a held host is found in the web UI. */
async function pauseHost(
  client: Client,
  db: Db,
  hostKey: HostKey,
  order: {
    readonly who: string;
    readonly why: string;
    readonly until?: string;
    readonly sequence: number;
  },
): Promise<void> {
  await client.workflow.signalWithStart(host, {
    workflowId: hostWorkflowId(hostKey),
    taskQueue: TASK_QUEUE,
    args: [{ hostId: await ensureHost(db, hostKey), hostKey }],
    signal: pause,
    signalArgs: [order],
    staticSummary: hostKey,
    typedSearchAttributes: [
      { key: CrawlHost, value: hostKey },
      { key: CrawlState, value: 'held' },
    ],
  });
}

async function ensureSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: 'housekeeping',
      spec: { intervals: [{ every: HOUSEKEEPING_EVERY }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
      action: {
        type: 'startWorkflow',
        workflowType: housekeeping,
        workflowId: 'housekeeping',
        taskQueue: TASK_QUEUE,
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

async function ifThere(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
