import { expect, test } from 'vitest';
import { keepRunning, type Running } from '../../workers/keep-running.ts';

test('what ends is started again, knowing what was first, until it is stopped', async () => {
  const lives: Life[] = [];
  const firsts: (Life | undefined)[] = [];
  const events: string[] = [];
  const kept = await keepRunning<Life>(
    (first) => {
      firsts.push(first);
      const life = aLife();
      lives.push(life);
      return Promise.resolve(life);
    },
    ({ kind }) => events.push(kind),
  );

  lives[0]?.end();
  await until(() => lives.length === 2 && kept.current() === lives[1]);
  await kept.stop();

  expect(events).toEqual(['started', 'ended', 'started']);
  expect(firsts).toEqual([undefined, lives[0]]);
  expect(lives.map((life) => life.wasStopped())).toEqual([false, true]);
});

test('a restart that fails is tried again', async () => {
  let starts = 0;
  const first = aLife();
  const kept = await keepRunning<Life>(
    () => {
      starts += 1;
      if (starts === 2) throw new Error('not yet');
      return Promise.resolve(starts === 1 ? first : aLife());
    },
    () => undefined,
  );

  first.end();
  await until(() => starts === 3 && kept.current() !== undefined);
  await kept.stop();
});

test('a first start that fails is tried again, since another may have taken its port', async () => {
  const events: string[] = [];
  let starts = 0;
  const start = (): Promise<Life> => {
    starts += 1;
    return starts < 3 ? Promise.reject(new Error('port taken')) : Promise.resolve(aLife());
  };
  const kept = await keepRunning(start, ({ kind }) => events.push(kind));
  await kept.stop();

  expect(events).toEqual(['failed', 'failed', 'started']);
});

test('a first start that fails three times is the caller’s to hear of', async () => {
  const start = (): Promise<Life> => Promise.reject(new Error('no disk'));
  await expect(keepRunning(start, () => undefined)).rejects.toThrow('no disk');
});

interface Life extends Running {
  readonly end: () => void;
  readonly wasStopped: () => boolean;
}

function aLife(): Life {
  let end: () => void = () => undefined;
  let stopped = false;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    ended,
    end,
    wasStopped: () => stopped,
    stop: () => {
      stopped = true;
      return Promise.resolve();
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
