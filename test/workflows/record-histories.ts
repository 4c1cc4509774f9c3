import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { VisitNext } from '../../activities/contract.ts';
import { crawl } from '../../workflows/crawl.ts';
import { housekeeping } from '../../workflows/housekeeping.ts';
import { crawlWorkflowId, prioritizerWorkflowId } from '../../workflows/ids.ts';
import { drain, inspect, pause, refresh, resume, stop, wake } from '../../workflows/messages.ts';
import { prioritizer } from '../../workflows/prioritizer.ts';
import { historiesFolder } from './replaying.ts';
import type { CrawlScript } from './scripted-world.ts';
import {
  countOf,
  gate,
  historyOf,
  openWorkflowLab,
  until,
  type WorkflowLab,
} from './workflow-lab.ts';

// Records the histories that replay.test.ts replays. Only where asked for (`npm run histories`), since a recorded
// history is a promise that running workflows survive a new release: record anew (or better, under new names) when the
// workflows' commands change on purpose.

const LONG_MS = 3_600_000;
const again = (waitMs: number): VisitNext => ({ kind: 'again', waitMs });

describe('histories of', () => {
  let lab: WorkflowLab;
  beforeAll(async () => {
    lab = await openWorkflowLab();
    mkdirSync(historiesFolder, { recursive: true });
  });
  afterAll(async () => {
    await lab.close();
  });

  const keep = async (name: string, workflowId: string, runId?: string): Promise<void> => {
    const history = await historyOf(lab.client, workflowId, runId);
    writeFileSync(join(historiesFolder, `${name}.json`), `${JSON.stringify(history, null, 1)}\n`);
  };
  const visited = (hostKey: string, count: number) =>
    until('a visit', () => lab.world.visitsOf(hostKey).length >= count);
  const startHost = async (
    about: string,
    script: (times: number) => VisitNext | Promise<VisitNext>,
  ) => {
    const hostKey = lab.freshName(about);
    lab.world.host(hostKey, script);
    const handle = await lab.feedHost(hostKey);
    const isIn = (state: string) =>
      until(state, async () => (await handle.query(inspect)).state === state);
    const isInGap = () => until('a gap', async () => (await handle.query(inspect)).waitMs > 0);
    return { hostKey, handle, isIn, isInGap };
  };

  test('a host with plain pages, to its idle end', { timeout: 150_000 }, async () => {
    const { handle } = await startHost('plain', (times) =>
      times < 4 ? again(300) : { kind: 'empty' },
    );
    await handle.result();
    await keep('host-plain-to-idle-end', handle.workflowId);
  });

  test('a host paused in a gap, then resumed and drained', async () => {
    const { hostKey, handle, isIn, isInGap } = await startHost('gap', (times) =>
      times < 2 ? again(LONG_MS) : { kind: 'empty' },
    );
    await isInGap();
    await handle.signal(pause, { who: 'a person', why: 'a reason' });
    await isIn('held');
    await handle.signal(resume, { who: 'a person' });
    await visited(hostKey, 2);
    await handle.signal(drain);
    await handle.result();
    await keep('host-paused-in-gap', handle.workflowId);
  });

  test('a host paused during a visit, by a bare signal', async () => {
    const { passed, open } = gate();
    const { hostKey, handle, isIn } = await startHost('visit', async (times) => {
      if (times > 1) return { kind: 'empty' };
      await passed;
      return again(500);
    });
    await visited(hostKey, 1);
    await handle.signal('pause');
    await until('the hold', () => lab.world.holdOf(hostKey) !== null);
    open();
    await isIn('held');
    await handle.signal('resume');
    await visited(hostKey, 2);
    await handle.signal(drain);
    await handle.result();
    await keep('host-paused-during-visit', handle.workflowId);
  });

  test('a host held for a while', async () => {
    const { hostKey, handle, isInGap } = await startHost('while', (times) =>
      times < 2 ? again(LONG_MS) : { kind: 'empty' },
    );
    await isInGap();
    await handle.signal(pause, { until: new Date(Date.now() + 2_000).toISOString() });
    await handle.signal(drain);
    await visited(hostKey, 2);
    // The row of the scripted world keeps the hold: lift it there too.
    await handle.signal(resume);
    await handle.result();
    await keep('host-held-for-a-while', handle.workflowId);
  });

  test('a host fed at rest, then cancelled', async () => {
    const { hostKey, handle, isIn } = await startHost('rest', (times) =>
      times < 3 ? { kind: 'resting', waitMs: LONG_MS } : { kind: 'robots', waitMs: LONG_MS },
    );
    await isIn('resting');
    await lab.feedHost(hostKey);
    await visited(hostKey, 2);
    await isIn('resting');
    await lab.feedHost(hostKey);
    await isIn('robots');
    await handle.cancel();
    await handle.result().catch(() => undefined);
    await keep('host-fed-at-rest-then-cancelled', handle.workflowId);
  });

  test('a host that continues as new, held', async () => {
    const { handle, isIn, isInGap } = await startHost('anew', () => again(LONG_MS));
    await isInGap();
    await handle.signal(pause, { who: 'a person' });
    await isIn('held');
    const { runId } = await handle.describe();
    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);
    await keep('host-continues-as-new', handle.workflowId, runId);
    await isIn('held');
    await keep('host-continued-held', handle.workflowId);
    await handle.terminate();
  });

  const startCrawl = async (about: string, script: CrawlScript) => {
    const name = lab.freshName(about);
    const crawlId = lab.world.crawl(name, script);
    const handle = await lab.client.workflow.start(crawl, {
      workflowId: crawlWorkflowId(name),
      taskQueue: lab.taskQueue,
      args: [{ name }],
    });
    const calls = () => lab.world.callsAbout(crawlId);
    return { handle, calls, prioritizerId: prioritizerWorkflowId(name, 0) };
  };

  test('a crawl that finishes, and its prioritizer', async () => {
    const { handle, prioritizerId } = await startCrawl('finishes', {
      admit: (times) => ({ quiet: times > 2, rows: times < 3 ? 1 : 0, admitted: 1 }),
      pull: (times) => ({
        kind: 'pulled',
        feeds: times < 3 ? [{ hostId: 1, hostKey: 'fed.test', count: 2 }] : [],
        budget: { pages: 1, ms: 60_000 },
      }),
      end: (times) => (times < 2 ? null : 'finished'),
    });
    await handle.result();
    await lab.client.workflow.getHandle(prioritizerId).result();
    await keep('crawl-finishes', handle.workflowId);
    await keep('prioritizer-rounds-to-stop', prioritizerId);
  });

  test('a crawl that is woken, continues as new and is stopped', async () => {
    const { handle, calls } = await startCrawl('stopped', {});
    const { runId } = await handle.describe();
    await until('a round', () => calls().includes('pullBatch'));
    await handle.signal(wake);
    await until('a second feed', () => calls().filter((call) => call === 'refeed').length > 1);
    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);
    await handle.signal(stop);
    await handle.result();
    await keep('crawl-woken-continues-as-new', handle.workflowId, runId);
    await keep('crawl-stopped', handle.workflowId);
  });

  test('a crawl whose time is spent, and one that is cancelled', async () => {
    const spent = await startCrawl('spent', { opened: { timeLeftMs: 1_500 } });
    await spent.handle.result();
    await keep('crawl-time-spent', spent.handle.workflowId);

    const { handle, calls } = await startCrawl('cancelled', {});
    await until('a round', () => calls().includes('pullBatch'));
    await handle.cancel();
    await handle.result().catch(() => undefined);
    await keep('crawl-cancelled', handle.workflowId);
  });

  test('a prioritizer with a stale batch, a wake and continue-as-new', async () => {
    const name = lab.freshName('stale');
    const crawlId = lab.world.crawl(name, {
      pull: (times, batchId) =>
        times === 1
          ? { kind: 'stale', latestBatchId: batchId + 1_000_000 }
          : { kind: 'pulled', feeds: [], budget: { pages: 1, ms: 60_000 } },
    });
    const handle = await lab.client.workflow.start(prioritizer, {
      workflowId: prioritizerWorkflowId(name, 0),
      taskQueue: lab.taskQueue,
      args: [{ crawl: name, crawlId, shard: 0 }],
    });
    const has = (type: string, count: number) =>
      until(
        type,
        async () => countOf(await historyOf(lab.client, handle.workflowId), type) >= count,
      );
    await has('TIMER_STARTED', 3);
    await handle.signal(wake);
    await has('TIMER_STARTED', 4);
    const { runId } = await handle.describe();
    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);
    await keep('prioritizer-stale-batch-continues-as-new', handle.workflowId, runId);
    await handle.terminate();
  });

  test('housekeeping', async () => {
    const workflowId = lab.freshName('housekeeping');
    const options = { workflowId, taskQueue: lab.taskQueue };
    await (await lab.client.workflow.start(housekeeping, options)).result();
    await keep('housekeeping', workflowId);
  });
});
