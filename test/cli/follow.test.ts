import { expect, test } from 'vitest';
import { followCrawl, hasEnded, SupervisorLost } from '../../cli/commands/follow.ts';
import type { Following } from '../../cli/commands/follow.ts';
import { terminalOn } from '../../cli/views/terminal.ts';
import type { CrawlProgress } from '../../domain/progress.ts';
import { aProgress, SHORTAGE, START } from './a-progress.ts';

const never = new Promise<never>(() => undefined);

/** A following of these readings, the last one again and again; what it writes comes back in `written`. */
function aFollowing(
  readings: readonly (CrawlProgress | Error)[],
  otherwise: Partial<Following> = {},
): { readonly following: Following; readonly written: string[] } {
  const written: string[] = [];
  const paper = { write: (text: string) => written.push(text) };
  let next = 0;
  const readProgress = (): Promise<CrawlProgress> => {
    const reading = readings[Math.min(next, readings.length - 1)] ?? aProgress();
    next += 1;
    return reading instanceof Error ? Promise.reject(reading) : Promise.resolve(reading);
  };
  const following: Following = {
    readProgress,
    stop: () => Promise.resolve(),
    endedBefore: null,
    interrupted: new AbortController().signal,
    lost: never,
    terminal: terminalOn(paper, paper),
    json: true,
    quiet: false,
    ...otherwise,
  };
  return { following, written };
}

const ended = (endReason: CrawlProgress['endReason']): CrawlProgress =>
  aProgress({ state: 'finished', endReason, endedAt: new Date(START.getTime() + 60_000) });

test('a crawl is followed until it has ended, a JSON line a look', async () => {
  const { following, written } = aFollowing([aProgress(), ended('finished')]);

  const { progress, interrupted } = await followCrawl(following);

  expect(progress?.endReason).toBe('finished');
  expect(interrupted).toBe(false);
  const lines = written.map((line) => JSON.parse(line) as { readonly state: string });
  expect(lines.map(({ state }) => state)).toEqual(['running', 'finished']);
});

test('an interruption asks the crawl to stop, once, and follows it to its end', async () => {
  let asked = 0;
  const interruption = new AbortController();
  interruption.abort();
  const { following } = aFollowing(
    [aProgress(), aProgress({ state: 'stopping' }), ended('stopped')],
    {
      interrupted: interruption.signal,
      stop: () => {
        asked += 1;
        return Promise.resolve();
      },
    },
  );

  const { progress, interrupted } = await followCrawl(following);

  expect({ asked, interrupted, endReason: progress?.endReason }).toEqual({
    asked: 1,
    interrupted: true,
    endReason: 'stopped',
  });
});

test('a crawl that cannot be asked to stop does not keep a person waiting', async () => {
  const interruption = new AbortController();
  interruption.abort();
  const { following, written } = aFollowing([aProgress()], {
    interrupted: interruption.signal,
    stop: () => Promise.reject(new Error('no answer')),
  });

  expect(await followCrawl(following)).toMatchObject({ interrupted: true });
  expect(written.join('')).toContain('could not be asked to stop: no answer');
});

test('a Postgres that is away for a moment is waited for', async () => {
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const { following, written } = aFollowing([aProgress(), away, away, ended('finished')]);

  expect((await followCrawl(following)).progress?.endReason).toBe('finished');
  expect(written.filter((line) => line.startsWith('Postgres'))).toEqual([
    'Postgres does not answer: waiting for it\n',
    'Postgres answers again\n',
  ]);
});

test('a Postgres whose disk is full is waited for', async () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  const { following, written } = aFollowing([aProgress(), full, ended('finished')]);

  expect((await followCrawl(following)).progress?.endReason).toBe('finished');
  expect(written.filter((line) => line.startsWith('Postgres'))).toEqual([
    'Postgres has no room on its disk: waiting for it\n',
    'Postgres answers again\n',
  ]);
});

test('a crawl that holds itself says so at the turn, and again when it goes on', async () => {
  const held = aProgress({ shortages: [SHORTAGE] });
  const { following, written } = aFollowing([aProgress(), held, held, ended('finished')]);

  await followCrawl(following);

  expect(written.filter((line) => !line.startsWith('{'))).toEqual([
    'held: no room on box:/data/warc (12.0 MB free, 256 MB wanted) since 2026-08-01 12:00:00Z; goes on by itself when there is room\n',
    'no longer held for want of room\n',
  ]);
});

test('a fault of ours is not waited for', async () => {
  const { following } = aFollowing([aProgress(), new TypeError('bug')]);

  await expect(followCrawl(following)).rejects.toThrow('bug');
});

test('with its supervisor killed, following ends', async () => {
  const { following } = aFollowing([aProgress()], { lost: Promise.resolve('killed') });

  await expect(followCrawl(following)).rejects.toThrow(SupervisorLost);
});

test.each<
  [
    what: string,
    state: CrawlProgress['state'],
    endedAt: Date | null,
    before: Date | null,
    is: boolean,
  ]
>([
  ['a new crawl that has not begun', 'stopped', null, null, false],
  ['the end of the run before', 'finished', START, START, false],
  ['a running crawl', 'running', null, START, false],
  ['a stopping crawl', 'stopping', null, null, false],
  ['a first end', 'finished', START, null, true],
  ['another end', 'stopped', new Date(START.getTime() + 1), START, true],
])('%s: ended?', (_, state, endedAt, before, is) => {
  expect(hasEnded({ state, endedAt }, before, 100)).toBe(is);
});

test('a crawl that does not begin counts as ended after a while', () => {
  expect(hasEnded({ state: 'finished', endedAt: START }, START, 61_000)).toBe(true);
});
