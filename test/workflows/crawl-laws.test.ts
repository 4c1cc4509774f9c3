import type { WorkflowFailedError, WorkflowHandle } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crawl } from '../../workflows/crawl.ts';
import { crawlWorkflowId, prioritizerWorkflowId } from '../../workflows/ids.ts';
import { refresh, stop, wake } from '../../workflows/messages.ts';
import { prioritizer } from '../../workflows/prioritizer.ts';
import {
  countOf,
  gate,
  historyOf,
  openWorkflowLab,
  until,
  type WorkflowLab,
} from './workflow-lab.ts';
import type { CrawlScript } from './scripted-world.ts';

// Laws of a crawl's workflow and its prioritizers, with a real server and worker; what they find is scripted.

let lab: WorkflowLab;
beforeAll(async () => {
  lab = await openWorkflowLab();
});
afterAll(async () => {
  await lab.close();
});

const ofPrioritizer = (name: string) =>
  lab.client.workflow.getHandle(prioritizerWorkflowId(name, 0));
const stateOf = async (handle: WorkflowHandle) => (await handle.describe()).status.name;

async function startCrawl(about: string, script: CrawlScript) {
  const name = lab.freshName(about);
  const crawlId = lab.world.crawl(name, script);
  const start = () =>
    lab.client.workflow.start(crawl, {
      workflowId: crawlWorkflowId(name),
      taskQueue: lab.taskQueue,
      args: [{ name }],
    });
  return {
    name,
    crawlId,
    start,
    handle: await start(),
    calls: () => lab.world.callsAbout(crawlId),
  };
}

async function startPrioritizer(about: string, script: CrawlScript) {
  const name = lab.freshName(about);
  const crawlId = lab.world.crawl(name, script);
  const handle = await lab.client.workflow.start(prioritizer, {
    workflowId: prioritizerWorkflowId(name, 0),
    taskQueue: lab.taskQueue,
    args: [{ crawl: name, crawlId, shard: 0 }],
  });
  return { handle, calls: () => lab.world.callsAbout(crawlId) };
}

async function expectCancelled(handle: WorkflowHandle): Promise<void> {
  const failed: unknown = await handle.result().catch((error: unknown) => error);
  expect((failed as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
}

describe('a crawl', () => {
  test('ends when a quiet round is followed by nothing left to do', async () => {
    const { name, handle, calls } = await startCrawl('ends', {
      admit: () => ({ quiet: true }),
      end: (times) => (times < 2 ? null : 'finished'),
    });

    expect(await handle.result()).toEqual({ ended: 'finished' });
    expect(calls().at(0)).toBe('openCrawl, begin');
    expect(calls()).toContain('closeCrawl, finished');
    await ofPrioritizer(name).result();
  });

  test('stops when told, and takes its prioritizer along', async () => {
    const { name, handle, calls } = await startCrawl('stops', {});
    await until('a round', () => calls().includes('pullBatch'));

    await handle.signal(stop);

    expect(await handle.result()).toEqual({ ended: 'stopped' });
    await ofPrioritizer(name).result();
    expect(calls()).toContain('closeCrawl, stopped');
  });

  test('ends when its time is spent', async () => {
    const { handle } = await startCrawl('time', { opened: { timeLeftMs: 300 } });

    expect(await handle.result()).toEqual({ ended: 'time spent' });
  });

  test('that is cancelled closes the crawl, then is Cancelled', async () => {
    const { name, handle, calls } = await startCrawl('cancelled', {});
    await until('a round', () => calls().includes('pullBatch'));

    await handle.cancel();

    await expectCancelled(handle);
    expect(calls()).toContain('closeCrawl, stopped');
    await until(
      'its prioritizer to go too',
      async () => (await stateOf(ofPrioritizer(name))) !== 'RUNNING',
    );
  });

  test('that is cancelled while it begins is closed too', async () => {
    const { passed, open } = gate();
    const { handle, calls } = await startCrawl('early', {
      refeed: () => passed.then(() => 0),
    });
    await until('its beginning', () => calls().includes('refeed'));

    await handle.cancel();

    await expectCancelled(handle);
    open();
    expect(calls()).toContain('closeCrawl, stopped');
  });

  test('that continues as new does not begin again, and still ends', async () => {
    const { handle, calls } = await startCrawl('anew', {});
    const { runId } = await handle.describe();
    await until('a round', () => calls().includes('pullBatch'));

    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);
    await handle.signal(stop);

    expect(await handle.result()).toEqual({ ended: 'stopped' });
    expect(calls().filter((call) => call === 'openCrawl, begin')).toHaveLength(1);
  });

  test('feeds again for every wake, also for one that comes while it feeds', async () => {
    const { passed, open } = gate();
    const { handle, calls } = await startCrawl('wakes', {
      refeed: (times) => (times === 2 ? passed.then(() => 0) : 0),
    });
    const refeeds = () => calls().filter((call) => call === 'refeed').length;
    await until('its beginning', () => calls().includes('pullBatch'));
    await handle.signal(wake);
    await until('a second feed', () => refeeds() === 2);

    await handle.signal(wake);
    open();

    await until('a third feed', () => refeeds() === 3);
    await handle.terminate();
  });

  test('that begins again while its prioritizer is still stopping keeps it', async () => {
    const { passed, open } = gate();
    const { name, start, handle, calls } = await startCrawl('again', {
      admit: async (times) => {
        if (times === 1) await passed;
        return {};
      },
    });
    await until('a round', () => calls().includes('admit'));
    await handle.signal(stop);
    await handle.result();

    const second = await start();
    await until('its order to go on', async () => {
      const { events } = await historyOf(lab.client, prioritizerWorkflowId(name, 0));
      return JSON.stringify(events).includes('"proceed"');
    });
    open();

    await until('another round', () => calls().filter((call) => call === 'admit').length > 1);
    expect(await stateOf(ofPrioritizer(name))).toBe('RUNNING');
    await second.terminate();
    await ofPrioritizer(name).terminate();
  });
});

describe('a prioritizer', () => {
  test('does one round after another, and feeds what it pulled', async () => {
    const hostKey = lab.freshName('fed');
    const { handle, calls } = await startPrioritizer('rounds', {
      pull: (times) => ({
        kind: 'pulled',
        feeds: times === 1 ? [{ hostId: 1, hostKey, count: 3 }] : [],
        budget: { pages: 1, ms: 60_000 },
      }),
    });
    await until('three rounds', () => calls().filter((call) => call === 'admit').length === 3);
    await handle.signal(stop);
    await handle.result();

    expect(lab.world.callsAbout(hostKey)).toEqual(['feed']);
    expect(calls().slice(0, 4)).toEqual(['admit', 'pullBatch', 'admit', 'pullBatch']);
  });

  test('draws a later batch where another has the one it drew', async () => {
    const latest = Date.now() + 1_000_000;
    const drawn: number[] = [];
    const { handle } = await startPrioritizer('stale', {
      pull: (times, batchId) => {
        drawn.push(batchId);
        if (times === 1) return { kind: 'stale', latestBatchId: latest };
        return { kind: 'pulled', feeds: [], budget: { pages: 1, ms: 60_000 } };
      },
    });

    await until('a second pull', () => drawn.length > 1);
    expect(drawn[1]).toBe(latest + 1);
    await handle.terminate();
  });

  test('keeps its batch number when it continues as new', async () => {
    const latest = Date.now() + 1_000_000;
    const drawn: number[] = [];
    const { handle } = await startPrioritizer('anew', {
      pull: (_times, batchId) => {
        drawn.push(batchId);
        if (drawn.length === 1) return { kind: 'stale', latestBatchId: latest };
        return { kind: 'pulled', feeds: [], budget: { pages: 1, ms: 60_000 } };
      },
    });
    await until('a pull', () => drawn.length > 0);
    const { runId } = await handle.describe();

    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);
    await until('its pull', () => drawn.length > 1);

    expect(drawn.slice(1)).toEqual(drawn.slice(1).map((_, index) => latest + 1 + index));
    await handle.terminate();
  });

  test('rests longer and longer where there is nothing to do; a wake ends the rest', async () => {
    const { handle, calls } = await startPrioritizer('wakes', {});
    const hasMet = (type: string, count: number) => async () =>
      countOf(await historyOf(lab.client, handle.workflowId), type) >= count;
    await until('a third rest', hasMet('TIMER_STARTED', 3));
    expect(calls().filter((call) => call === 'admit')).toHaveLength(3);

    await handle.signal(wake);

    await until('its end', hasMet('TIMER_CANCELED', 1));
    await until('a round', () => calls().filter((call) => call === 'admit').length > 3);
    await handle.terminate();
  });

  test('that is cancelled leaves at once', async () => {
    const { handle, calls } = await startPrioritizer('cancelled', {});
    await until('a round', () => calls().includes('pullBatch'));

    await handle.cancel();

    await expectCancelled(handle);
  });
});
