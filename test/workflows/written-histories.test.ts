import { DefaultLogger, Runtime } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import type { VisitNext, VisitResult } from '../../activities/contract.ts';
import { History } from './history.ts';
import { replay } from './replaying.ts';

// Laws that need no server: a history that tells of a polite host replays, one of an impolite host does not.

/** What the replayer says where a workflow would have done otherwise. */
const OTHERWISE = 'TMPRL1100';

const INPUT = { hostId: 1, hostKey: 'a.test' };
const HOLD = { who: 'a person', why: 'a reason', since: '2026-01-01T00:00:00.000Z', until: null };

const came = (next: VisitNext): VisitResult => ({ next, requests: 1, notes: [] });
const again = came({ kind: 'again', waitMs: 4_000 });
/** A host that has just been fed; it is `live` from its first visit on. */
const fed = (input: object = {}): History =>
  new History('host', [{ ...INPUT, ...input }], 'feed', {
    batch: '1',
    count: 1,
    budget: { pages: 1, ms: 60_000 },
  });

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

describe('a host', () => {
  test('visits, then keeps the gap', async () => {
    const polite = fed().upsert().activity('visit', again).timer(4).activity('visit', again);

    await expect(replay(polite.startTimer(4))).resolves.toBeUndefined();
  });

  test('never visits twice without a gap between', async () => {
    const impolite = fed().upsert().activity('visit', again).activity('visit', again);

    await expect(replay(impolite)).rejects.toThrow(OTHERWISE);
  });

  test('keeps the gap when it is fed in it', async () => {
    const inGap = () => fed().upsert().activity('visit', again).startTimer(4).signal('feed', {});

    await expect(replay(inGap())).resolves.toBeUndefined();
    await expect(replay(inGap().cancelTimer().activity('visit', again))).rejects.toThrow(OTHERWISE);
  });

  test('visits at once when it is fed at rest', async () => {
    const resting = came({ kind: 'resting', waitMs: 3_600_000 });
    const woken = fed()
      .upsert()
      .activity('visit', resting)
      .upsert()
      .startTimer(3_600)
      .signal('feed', {})
      .cancelTimer()
      .upsert()
      .activity('visit', again);

    await expect(replay(woken.startTimer(4))).resolves.toBeUndefined();
  });

  test('visits no more once a visit has met a hold', async () => {
    const met = () =>
      fed()
        .upsert()
        .activity('visit', came({ kind: 'held', hold: HOLD }))
        .upsert();

    await expect(replay(met())).resolves.toBeUndefined();
    await expect(replay(met().activity('visit', again))).rejects.toThrow(OTHERWISE);
  });

  test('takes a hold over from the run before it, and the next one too', async () => {
    const held = () => new History('host', [{ ...INPUT, hold: HOLD, state: 'held' }]);

    await expect(replay(held().signal('refresh').continuedAsNew('host'))).resolves.toBeUndefined();
    await expect(replay(held().activity('visit', again))).rejects.toThrow(OTHERWISE);
  });

  test('with an empty back queue waits for its own links, then a minute in all, and ends', async () => {
    const idle = fed()
      .upsert()
      .activity('visit', came({ kind: 'empty' }))
      .timer(5)
      .upsert()
      .timer(55);

    await expect(replay(idle.completed({ requests: 1 }))).resolves.toBeUndefined();
  });
});

describe('a prioritizer', () => {
  const ORDER = { crawl: 'a', crawlId: 1, shard: 0 };
  const nothing = { rows: 0, admitted: 0, quiet: false, busy: false };
  const pulled = { kind: 'pulled', feeds: [], budget: { pages: 1, ms: 60_000 } };

  test('admits before it pulls, and rests between rounds', async () => {
    const round = () =>
      new History('prioritizer', [ORDER]).activity('admit', nothing).activity('pullBatch', pulled);

    await expect(replay(round().timer(1).activity('admit', nothing))).resolves.toBeUndefined();
    await expect(replay(round().activity('admit', nothing))).rejects.toThrow(OTHERWISE);
  });

  test('told to stop in its rest, it ends', async () => {
    const stopped = new History('prioritizer', [ORDER])
      .activity('admit', nothing)
      .activity('pullBatch', pulled)
      .startTimer(1)
      .signal('stop')
      .cancelTimer()
      .completed();

    await expect(replay(stopped)).resolves.toBeUndefined();
  });
});
