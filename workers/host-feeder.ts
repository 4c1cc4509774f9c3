import type { Client } from '@temporalio/client';
import type { FeedHost } from '../activities/deps.ts';
import { hostWorkflowId, TASK_QUEUE } from '../workflows/ids.ts';
import { CrawlHost, CrawlState, feed } from '../workflows/messages.ts';
import { host } from '../workflows/host.ts';

/** Signals host workflows by one client, starting those that aren't there. */
export function hostFeeder(client: Client): FeedHost {
  return async ({ hostId, hostKey, count }, { batch, budget }) => {
    await client.workflow.signalWithStart(host, {
      workflowId: hostWorkflowId(hostKey),
      taskQueue: TASK_QUEUE,
      args: [{ hostId, hostKey }],
      signal: feed,
      signalArgs: [{ batch, count, budget }],
      staticSummary: hostKey,
      typedSearchAttributes: [
        { key: CrawlHost, value: hostKey },
        { key: CrawlState, value: 'idle' },
      ],
    });
  };
}
