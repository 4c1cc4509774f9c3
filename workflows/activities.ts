import { proxyActivities, proxyLocalActivities, type RetryPolicy } from '@temporalio/workflow';
import type { CrawlActivities } from '../activities/contract.ts';

// Retried for our own faults only (a lost database, a dead worker), without limit: what the web does is a value.
const retry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' };

/**
 * A visit lasts at most its 60 s, the five tries of a name look-up (121 s), a page and its settling; the rest of the
 * ten minutes is for a database that is away. A dead worker shows within the heartbeat time-out.
 */
export const { visit } = proxyActivities<CrawlActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15s',
  retry,
});

export const { admit, pullBatch, feedHosts, parkHost, openCrawl, endOfCrawl, closeCrawl, refeed } =
  proxyActivities<CrawlActivities>({
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '10s',
    retry,
  });

/** Has slots of its own, so a pause is written at once even when every activity slot is taken. */
export const { writeHold } = proxyLocalActivities<CrawlActivities>({
  startToCloseTimeout: '10s',
  retry,
});
