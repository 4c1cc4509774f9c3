import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisitNext } from '../../activities/contract.ts';
import type { host } from '../../workflows/host.ts';
import { hostWorkflowId } from '../../workflows/ids.ts';
import { drain, feed, inspect, pause, refresh, resume } from '../../workflows/messages.ts';
import {
  countOf,
  gate,
  historyOf,
  openWorkflowLab,
  until,
  type WorkflowLab,
} from './workflow-lab.ts';

// Laws of a host's workflow, with a real server and worker; the visits are scripted.

type Host = WorkflowHandle<typeof host>;

/** Long enough that a test sees it only where it ends early. */
const LONG_MS = 3_600_000;
const again = (waitMs: number): VisitNext => ({ kind: 'again', waitMs });
const EMPTY: VisitNext = { kind: 'empty' };

let lab: WorkflowLab;
beforeAll(async () => {
  lab = await openWorkflowLab();
});
afterAll(async () => {
  await lab.close();
});

const visits = (hostKey: string) => lab.world.visitsOf(hostKey).length;
const isIn = (handle: Host, state: string) => async () =>
  (await handle.query(inspect)).state === state;
const waitFor = (hostKey: string, count: number) =>
  until(`visit ${String(count)} of ${hostKey}`, () => visits(hostKey) >= count);

async function expectCancelled(handle: WorkflowHandle): Promise<void> {
  const failed: unknown = await handle.result().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(WorkflowFailedError);
  expect((failed as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
}

/** A host in each state from which a person may want it gone. */
const states: readonly {
  readonly where: string;
  readonly script: () => VisitNext | Promise<VisitNext>;
  readonly arrive: (handle: Host, hostKey: string) => Promise<void>;
}[] = [
  {
    where: 'in a gap',
    script: () => again(LONG_MS),
    arrive: (handle) => until('the gap', async () => (await handle.query(inspect)).waitMs > 0),
  },
  {
    where: 'during a visit',
    script: () => new Promise((resolve) => setTimeout(resolve, 5_000, again(0))),
    arrive: (_handle, hostKey) => waitFor(hostKey, 1),
  },
  {
    where: 'at rest',
    script: () => ({ kind: 'resting', waitMs: LONG_MS }),
    arrive: (handle) => until('rest', isIn(handle, 'resting')),
  },
  {
    where: 'idle',
    script: () => EMPTY,
    arrive: (handle) => until('idleness', isIn(handle, 'idle')),
  },
  {
    where: 'held',
    script: () => again(LONG_MS),
    arrive: async (handle) => {
      await handle.signal(pause, { why: 'test' });
      await until('the hold', isIn(handle, 'held'));
    },
  },
  {
    where: 'held for a while',
    script: () => again(LONG_MS),
    arrive: async (handle) => {
      await handle.signal(pause, { until: new Date(Date.now() + LONG_MS).toISOString() });
      await until('the hold', isIn(handle, 'held'));
    },
  },
];

describe('a cancel', () => {
  test.each(states)(
    'ends a host $where at once, and gives its place away [RTY15]',
    async (state) => {
      const hostKey = lab.freshName('cancel');
      const hostId = 1_000 + states.indexOf(state);
      lab.world.host(hostKey, state.script);
      const handle = await lab.feedHost(hostKey, { hostId });
      await state.arrive(handle, hostKey);

      await handle.cancel();

      await expectCancelled(handle);
      expect(lab.world.callsAbout(hostId).at(-1)).toBe('park');
      expect(visits(hostKey)).toBe(1);
    },
  );

  test('does not lose an order that came with it', async () => {
    const hostKey = lab.freshName('cancel-order');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);

    await Promise.all([handle.signal(pause, { who: 'a person' }), handle.cancel()]);

    await expectCancelled(handle);
    expect(lab.world.holdOf(hostKey)?.who).toBe('a person');
  });
});

describe('a pause', () => {
  const bare: readonly { readonly form: string; readonly payload: readonly unknown[] }[] = [
    { form: 'no argument', payload: [] },
    { form: 'null', payload: [null] },
    { form: 'an empty object', payload: [{}] },
    { form: 'a reason alone', payload: [{ why: 'they called' }] },
    { form: 'fields of null', payload: [{ who: null, why: null, until: null, sequence: null }] },
    { form: 'text', payload: ['please'] },
    { form: 'fields of other types', payload: [{ who: 7, until: 12, sequence: 'x' }] },
  ];

  test.each(bare)('with $form holds the host, and so does a resume', async ({ payload }) => {
    const hostKey = lab.freshName('bare');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);

    await handle.signal('pause', ...payload);
    await until('the hold', isIn(handle, 'held'));
    expect((await handle.query(inspect)).hold).toMatchObject({
      who: expect.any(String) as string,
      why: expect.any(String) as string,
    });

    await handle.signal('resume', ...payload);
    await waitFor(hostKey, 2);
    expect(lab.world.holdOf(hostKey)).toBeNull();
    await handle.terminate();
  });

  test('and a resume in quick succession end in the order sent', async () => {
    const hostKey = lab.freshName('order');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);

    for (let time = 1; time <= 5; time += 1) {
      await handle.signal(pause, { who: `pause ${String(time)}` });
      await handle.signal(resume, {});
    }
    await handle.signal(pause, { who: 'the last' });

    await until('the last order', () => lab.world.holdOf(hostKey)?.who === 'the last');
    await until('the hold', isIn(handle, 'held'));
    expect(lab.world.callsAbout(hostKey)).toEqual([
      ...[1, 2, 3, 4, 5].flatMap((time) => [`pause by pause ${String(time)}`, 'resume']),
      'pause by the last',
    ]);
    await handle.terminate();
  });

  test('during a visit lets it end; one lifted before its end is not met again', async () => {
    const hostKey = lab.freshName('lifted');
    const { passed, open } = gate();
    lab.world.host(hostKey, async (times) => {
      if (times > 1) return again(LONG_MS);
      await passed;
      return {
        kind: 'held',
        hold: { who: 'gone', why: 'lifted', since: new Date().toISOString(), until: null },
      };
    });
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);

    await handle.signal(pause, {});
    await handle.signal(resume, {});
    await until('both orders', () => lab.world.callsAbout(hostKey).length === 2);
    open();

    await waitFor(hostKey, 2);
    await handle.terminate();
  });

  test('without end can be changed to one with an end, which then comes', async () => {
    const hostKey = lab.freshName('changed');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);
    await handle.signal(pause, {});
    await until('the hold', isIn(handle, 'held'));

    const end = new Date(Date.now() + 1_500).toISOString();
    await handle.signal(pause, { until: end });
    await until('the new end', async () => (await handle.query(inspect)).hold?.until === end);

    await waitFor(hostKey, 2);
    await handle.terminate();
  });

  test('that the row no longer has ends with a feed', async () => {
    const hostKey = lab.freshName('stale');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey, {
      hold: { who: 'gone', why: 'lost', since: new Date().toISOString(), until: null },
    });

    await waitFor(hostKey, 1);
    await until('the state', isIn(handle, 'live'));
    await handle.terminate();
  });

  test('that comes in the task that continues as new is not lost [DUR08]', async () => {
    const hostKey = lab.freshName('racing');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);

    for (let time = 1; time <= 5; time += 1) {
      const who = `order ${String(time)}`;
      await Promise.all([handle.signal(refresh), handle.signal(pause, { who })]);
      await until(who, async () => (await handle.query(inspect)).hold?.who === who);
      await handle.signal(resume, {});
      await until('its end', async () => (await handle.query(inspect)).hold === null);
    }
    await handle.terminate();
  });
});

describe('continue-as-new', () => {
  test('carries hold, budget, notes and requests', async () => {
    const hostKey = lab.freshName('carry');
    lab.world.host(hostKey, (times) => again(times < 4 ? 1 : LONG_MS));
    const handle = await lab.feedHost(hostKey);
    const budget = { pages: 7, ms: 30_000 };
    await handle.signal(feed, { batch: '2', count: 1, budget });
    await waitFor(hostKey, 4);
    await handle.signal(pause, { who: 'a person', why: 'a reason' });
    await until('the hold', isIn(handle, 'held'));
    const before = await handle.query(inspect);
    const { runId } = await handle.describe();

    await handle.signal(refresh);
    await until('a new run', async () => (await handle.describe()).runId !== runId);

    expect(await handle.query(inspect)).toEqual(before);
    expect(before).toMatchObject({ budget, requests: 4, hold: { who: 'a person' } });
    expect(before.lastNotes).toHaveLength(4);
    expect(visits(hostKey)).toBe(4);
    await handle.terminate();
  });

  test('comes by itself before a history grows long', async () => {
    const hostKey = lab.freshName('long');
    lab.world.host(hostKey, (times) => (times < 60 ? again(1) : again(LONG_MS)));
    const handle = await lab.feedHost(hostKey);
    const { runId } = await handle.describe();
    await waitFor(hostKey, 60);

    expect((await handle.describe()).runId).not.toBe(runId);
    const first = await historyOf(lab.client, hostWorkflowId(hostKey), runId);
    expect(first.events.length).toBeLessThan(600);
    expect(countOf(first, 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW')).toBe(1);
    await handle.terminate();
  });
});

describe('a feed', () => {
  test('wakes a resting host', async () => {
    const hostKey = lab.freshName('wakes');
    lab.world.host(hostKey, () => ({ kind: 'resting', waitMs: LONG_MS }));
    const handle = await lab.feedHost(hostKey);
    await until('rest', isIn(handle, 'resting'));

    await lab.feedHost(hostKey);

    await waitFor(hostKey, 2);
    await handle.terminate();
  });

  test('in a gap does not shorten it', async () => {
    const hostKey = lab.freshName('gap');
    const gapMs = 2_000;
    lab.world.host(hostKey, (times) => again(times === 1 ? gapMs : LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await until('the gap', async () => (await handle.query(inspect)).waitMs > 0);

    await Promise.all([lab.feedHost(hostKey), lab.feedHost(hostKey)]);
    await waitFor(hostKey, 2);

    const [first, second] = lab.world.visitsOf(hostKey);
    expect((second?.startedAtMs ?? 0) - (first?.startedAtMs ?? 0)).toBeGreaterThanOrEqual(gapMs);
    await handle.terminate();
  });

  test('twice at once is one more visit', async () => {
    const hostKey = lab.freshName('twice');
    lab.world.host(hostKey, () => EMPTY);
    const handle = await lab.feedHost(hostKey);
    await until('idleness', isIn(handle, 'idle'));

    await Promise.all([lab.feedHost(hostKey), lab.feedHost(hostKey)]);
    await until('idleness', async () => visits(hostKey) > 1 && (await isIn(handle, 'idle')()));
    await handle.signal(drain);
    await handle.result();

    expect(visits(hostKey)).toBeLessThanOrEqual(3);
  });

  test('without an argument is a feed too', async () => {
    const hostKey = lab.freshName('bare-feed');
    lab.world.host(hostKey, () => EMPTY);
    const handle = await lab.feedHost(hostKey);
    await until('idleness', isIn(handle, 'idle'));

    await handle.signal('feed');

    await waitFor(hostKey, 2);
    await handle.terminate();
  });

  test('that meets the end of an idle host is served all the same', async () => {
    const hostKey = lab.freshName('meets');
    lab.world.host(hostKey, () => EMPTY);
    for (let time = 0; time < 40; time += 1) {
      const sentAtMs = Date.now();
      await lab.feedHost(hostKey, { draining: true });
      // Some feeds come while the last run is ending, others after its end.
      if (time % 3 === 0) continue;
      await until('a visit after the feed', () =>
        lab.world.visitsOf(hostKey).some(({ startedAtMs }) => startedAtMs >= sentAtMs),
      );
    }
    const lastSentAtMs = Date.now();
    await lab.feedHost(hostKey, { draining: true });
    await until('a visit after the last feed', () =>
      lab.world.visitsOf(hostKey).some(({ startedAtMs }) => startedAtMs >= lastSentAtMs),
    );
  });
});

describe('what people see', () => {
  test('search attributes change on transitions only', async () => {
    const hostKey = lab.freshName('attributes');
    lab.world.host(hostKey, (times) => (times <= 5 ? again(1) : EMPTY));
    const handle = await lab.feedHost(hostKey);
    await until('idleness', async () => visits(hostKey) > 5 && (await isIn(handle, 'idle')()));

    const history = await historyOf(lab.client, hostWorkflowId(hostKey));
    expect(countOf(history, 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES')).toBe(2);
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(
      expect.arrayContaining([
        ['CrawlHost', hostKey],
        ['CrawlState', 'idle'],
      ]),
    );
    await handle.terminate();
  });

  test('every visit, gap and order says what it is', async () => {
    const hostKey = lab.freshName('summaries');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await until('the gap', async () => (await handle.query(inspect)).waitMs > 0);
    const { events } = await historyOf(lab.client, hostWorkflowId(hostKey));
    const summaryOf = (type: string): string => {
      const event = events.find(({ eventType }) => eventType === `EVENT_TYPE_${type}`);
      return Buffer.from(event?.userMetadata?.summary?.data ?? '', 'base64').toString();
    };

    expect(summaryOf('ACTIVITY_TASK_SCHEDULED')).toBe(JSON.stringify(`visit ${hostKey}`));
    expect(summaryOf('TIMER_STARTED')).toBe('"gap 1 h"');
    await handle.terminate();
  });

  test('current details tell state, last request and hold', async () => {
    const hostKey = lab.freshName('details');
    lab.world.host(hostKey, () => again(LONG_MS));
    const handle = await lab.feedHost(hostKey);
    await waitFor(hostKey, 1);
    await handle.signal(pause, { who: 'a person', why: 'over | two\nlines' });
    await until('the hold', isIn(handle, 'held'));

    const { currentDetails } = await handle.query<{ readonly currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain(`| ${hostKey} |`);
    expect(currentDetails).toContain(`http://${hostKey}/1 (ok)`);
    expect(currentDetails).toContain('by a person: over \\| two lines');
    await handle.terminate();
  });
});
