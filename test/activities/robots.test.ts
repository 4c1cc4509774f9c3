import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import type { VisitResult } from '../../activities/contract.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { givenUrl, hostLine, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, closedPort, rawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FORBID_P = 'User-agent: *\nDisallow: /p\n';

/** A host on loopback whose answers by path may be changed; a function is given the socket. */
type Answer = string | Buffer | ((socket: Socket) => void);
type Answers = Record<string, Answer>;

interface Scene {
  readonly answers: Answers;
  readonly origin: string;
  readonly deps: ActivityDeps;
  readonly crawlId: number;
  readonly hostId: number;
  /** The paths asked for since the last look. */
  readonly asked: () => readonly string[];
  /** Every condition that a request had, in their order. */
  readonly conditions: () => readonly string[];
  readonly visit: () => Promise<VisitResult>;
}

/** A host of which these paths are wanted. */
async function wanted(
  db: Db,
  paths: readonly string[],
  answers: Answers,
  settings: Partial<CrawlSettings> = {},
): Promise<Scene> {
  const site = await rawHost((socket, head) => {
    const answer = answers[head.split(' ')[1] ?? ''] ?? status(404);
    if (typeof answer === 'function') answer(socket);
    else socket.end(answer);
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...settings });
  const hostId = await ensureHost(db, '127.0.0.1');
  for (const path of paths) await givenUrl(db, { crawlId, hostId }, origin + path);
  const deps = await depsOn(db);
  let seen = 0;
  return {
    answers,
    origin,
    deps,
    crawlId,
    hostId,
    asked: () => {
      const paths = site.requests.slice(seen).map((head) => head.split(' ')[1] ?? '');
      seen = site.requests.length;
      return paths;
    },
    conditions: () => site.requests.flatMap((head) => head.match(/^if-.*(?=\r$)/gimu) ?? []),
    visit: () => visitHost(deps, '127.0.0.1', { pages: 20, ms: 60_000 }),
  };
}

function status(code: number, ...headers: readonly string[]): string {
  return [`HTTP/1.1 ${code} X`, 'Content-Length: 0', ...headers, '', ''].join('\r\n');
}

const movedTo = (location: string): string => status(302, `Location: ${location}`);
const cut = (head: readonly string[], body: string) => (socket: Socket) => {
  socket.end(['HTTP/1.1 200 OK', ...head, '', body].join('\r\n'));
};

interface RobotsLine {
  readonly access: string | null;
  readonly status: number | null;
  readonly tries: number;
  readonly retryInMs: number | null;
  readonly expiresInMs: number | null;
  readonly unreachableForMs: number | null;
}

async function robotsLine(db: Db): Promise<RobotsLine | undefined> {
  const { rows } = await db.query<RobotsLine>(
    `select access, status, tries,
            (extract(epoch from retry_at - clock_timestamp()) * 1000)::float8 as "retryInMs",
            (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as "expiresInMs",
            (extract(epoch from clock_timestamp() - unreachable_since) * 1000)::float8 as "unreachableForMs"
       from robots order by robots_id`,
  );
  return rows[0];
}

/** Everything that is known of robots.txt files happened so much earlier, and the host is rested. */
async function later(db: Db, { deps }: Scene, ms: number): Promise<void> {
  await db.query(
    `update robots
        set fetched_at = fetched_at - $1 * interval '1 millisecond',
            expires_at = expires_at - $1 * interval '1 millisecond',
            retry_at = retry_at - $1 * interval '1 millisecond',
            unreachable_since = unreachable_since - $1 * interval '1 millisecond'`,
    [ms],
  );
  await db.query(`update host set next_allowed_at = '-infinity', blocked_until = null`);
  await db.query(`update url set due_at = '-infinity' where state = 'assigned'`);
  deps.notBefore.clear();
}

/** Each wanted URL's state by its path. */
async function states(db: Db, { origin }: Scene): Promise<Record<string, string>> {
  const lines = await urlLines(db);
  return Object.fromEntries(lines.map(({ url, state }) => [url.replace(origin, ''), state]));
}

describe('a robots.txt that can be read', () => {
  test('binds by its rules', async ({ db }) => {
    const scene = await wanted(db, ['/p/1', '/q'], { '/robots.txt': answerOf(FORBID_P) });
    await scene.visit();
    expect(await states(db, scene)).toEqual({ '/p/1': 'excluded', '/q': 'done' });
  });

  test.for([
    { law: 'that is empty', answer: answerOf('') },
    { law: 'that has no content', answer: status(204) },
    {
      law: 'that is an HTML page',
      answer: answerOf('<!doctype html><p>Sorry</p>', ['Content-Type: text/html']),
    },
    { law: 'that is not there', answer: status(404) },
    { law: 'that is gone', answer: status(410) },
    { law: 'that needs a password', answer: status(401) },
    { law: 'that is forbidden', answer: status(403) },
    { law: 'that is no teapot', answer: status(418) },
    { law: 'that moved nowhere', answer: status(301) },
    { law: 'that moved to a page', answer: movedTo('/home') },
    { law: 'that moves in a ring', answer: movedTo('/robots.txt') },
  ])('or one $law forbids nothing', async ({ answer }, { db }) => {
    const scene = await wanted(db, ['/p/1'], {
      '/robots.txt': answer,
      '/home': answerOf('<h1>home</h1>'),
    });
    await scene.visit();
    expect(await states(db, scene)).toEqual({ '/p/1': 'done' });
  });

  test('is followed over five redirects, the sixth is one too many', async ({ db }) => {
    const hops = {
      '/robots.txt': movedTo('/1'),
      '/1': movedTo('/2'),
      '/2': movedTo('/3'),
      '/3': movedTo('/4'),
      '/4': movedTo('/5'),
    };
    const scene = await wanted(db, ['/p/1'], { ...hops, '/5': answerOf(FORBID_P) });
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/1', '/2', '/3', '/4', '/5']);
    expect(await states(db, scene)).toEqual({ '/p/1': 'excluded' });

    await later(db, scene, DAY_MS);
    await db.query(`update url set state = 'assigned'`);
    Object.assign(scene.answers, { '/5': movedTo('/6'), '/6': answerOf(FORBID_P) });
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/1', '/2', '/3', '/4', '/5', '/p/1']);
    expect(await states(db, scene)).toEqual({ '/p/1': 'done' });
  });

  test('at the end of redirects across hosts binds the first host [ROB05]', async ({ db }) => {
    const other = await rawHost(
      (socket, head) => {
        socket.end(head.startsWith('GET /r1') ? movedTo('/final') : answerOf(FORBID_P));
      },
      { address: '127.0.0.2' },
    );
    const scene = await wanted(db, ['/p/1', '/q'], { '/robots.txt': movedTo(`${other.url}r1`) });
    await scene.visit();
    expect(await states(db, scene)).toEqual({ '/p/1': 'excluded', '/q': 'done' });
    expect(other.requests.map((head) => head.split(' ')[1])).toEqual(['/r1', '/final']);
    // Of the other host nothing is known but that it was asked.
    expect((await db.query(`select origin from robots`)).rows).toEqual([{ origin: scene.origin }]);
  });

  test('on another host with a query is not that host’s file [ROB07]', async ({ db }) => {
    const big = await rawHost(
      (socket, head) => {
        const isOurs = head.startsWith('GET /robots.txt?for=fan');
        socket.end(answerOf(isOurs ? 'User-agent: *\nAllow: /' : 'User-agent: *\nDisallow: /'));
      },
      { address: '127.0.0.2' },
    );
    const scene = await wanted(db, ['/x'], {
      '/robots.txt': movedTo(`${big.url}robots.txt?for=fan`),
    });
    const bigId = await ensureHost(db, '127.0.0.2');
    await givenUrl(db, { crawlId: scene.crawlId, hostId: bigId }, `${big.url}x`);
    await scene.visit();
    await db.query(`update host set next_allowed_at = '-infinity'`);
    scene.deps.notBefore.clear();
    await visitHost(scene.deps, '127.0.0.2', { pages: 20, ms: 60_000 });
    expect(Object.values(await states(db, scene)).sort()).toEqual(['done', 'excluded']);
    expect(big.requests.map((head) => head.split(' ')[1])).toEqual([
      '/robots.txt?for=fan',
      '/robots.txt',
    ]);
  });

  test('is one a scheme, host and port [ROB08]', async ({ db }) => {
    const scene = await wanted(db, ['/p'], { '/robots.txt': answerOf(FORBID_P) });
    const second = await rawHost((socket) => {
      socket.end(status(404));
    });
    await givenUrl(db, scene, `http://127.0.0.1:${second.port}/p`);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt']);
    expect(second.requests.map((head) => head.split(' ')[1])).toEqual(['/robots.txt', '/p']);
  });

  test('of more than 500 KiB is read so far, without the line that is cut', async ({ db }) => {
    const filler = `${'#'.repeat(511_963)}\n`;
    const file = `User-agent: *\nDisallow: /p\n${filler}Allow: /p/1\nDisallow: /q`;
    const scene = await wanted(db, ['/p/1', '/q'], { '/robots.txt': answerOf(file) });
    await scene.visit();
    // The limit cuts "Allow: /p/1" behind its "/p".
    expect(file.slice(0, 512_000)).toMatch(/\nAllow: \/p$/u);
    expect(file.length).toBeGreaterThan(512_000);
    expect(await states(db, scene)).toEqual({ '/p/1': 'excluded', '/q': 'done' });
  });

  test('is read again after a day [ROB25]', async ({ db }) => {
    const scene = await wanted(db, ['/1'], { '/robots.txt': answerOf('User-agent: *\nAllow: /') });
    await scene.visit();
    scene.asked();
    Object.assign(scene.answers, { '/robots.txt': answerOf('User-agent: *\nDisallow: /') });
    await givenUrl(db, scene, `${scene.origin}/2`);
    await later(db, scene, DAY_MS - HOUR_MS);
    await scene.visit();
    expect(scene.asked()).toEqual(['/2']);

    await givenUrl(db, scene, `${scene.origin}/3`);
    await later(db, scene, 2 * HOUR_MS);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt']);
    expect(await states(db, scene)).toMatchObject({ '/3': 'excluded' });
  });

  test('is read again sooner where its headers say so', async ({ db }) => {
    const brief = answerOf('User-agent: *\nAllow: /', ['Cache-Control: max-age=3600']);
    const scene = await wanted(db, ['/1'], { '/robots.txt': brief });
    await scene.visit();
    const line = await robotsLine(db);
    expect(line?.expiresInMs).toBeLessThanOrEqual(HOUR_MS);
    expect(line?.expiresInMs).toBeGreaterThan(HOUR_MS / 2);
  });

  test('slows its host by the longest delay of its origins', async ({ db }) => {
    const delayed = (seconds: number): Buffer =>
      answerOf(`User-agent: *\nCrawl-delay: ${seconds}\n`);
    const scene = await wanted(db, ['/1'], { '/robots.txt': delayed(0.7) });
    const second = await rawHost((socket) => {
      socket.end(delayed(0.3));
    });
    await scene.visit();
    await givenUrl(db, scene, `http://127.0.0.1:${second.port}/1`);
    await later(db, scene, 0);
    await scene.visit();
    expect(second.requests.length).toBeGreaterThan(0);
    expect((await hostLine(db, scene.hostId)).crawlDelayMs).toBe(700);
    expect((await db.query(`select gap_ms::int as gap from host`)).rows).toEqual([{ gap: 700 }]);

    // Read again, it asks for less; then the other's counts.
    Object.assign(scene.answers, { '/robots.txt': delayed(0.1) });
    await givenUrl(db, scene, `${scene.origin}/2`);
    await db.query(`update url set state = 'done' where request_url not like '%/2'`);
    await later(db, scene, DAY_MS);
    await scene.visit();
    expect((await hostLine(db, scene.hostId)).crawlDelayMs).toBe(300);
  });
});

describe('a robots.txt that is asked for again', () => {
  const TAGGED = ['ETag: "r1"', 'Cache-Control: max-age=3600'];

  test('is asked about by its validators, and a 304 makes it fresh again', async ({ db }) => {
    const scene = await wanted(db, ['/q'], { '/robots.txt': answerOf(FORBID_P, TAGGED) });
    await scene.visit();
    await later(db, scene, 2 * HOUR_MS);
    scene.answers['/robots.txt'] = status(304, 'ETag: "r1"');
    await givenUrl(db, scene, `${scene.origin}/p/2`);
    await scene.visit();
    expect(scene.conditions()).toEqual(['if-none-match: "r1"']);
    expect(await states(db, scene)).toEqual({ '/q': 'done', '/p/2': 'excluded' });
    const line = await robotsLine(db);
    expect(line).toMatchObject({ access: 'rules', status: 200, tries: 0, retryInMs: null });
    expect(line?.expiresInMs).toBeGreaterThan(DAY_MS - HOUR_MS);
  });

  test('is asked about where it was found, not where it redirects from', async ({ db }) => {
    const scene = await wanted(db, ['/q'], {
      '/robots.txt': movedTo('/r'),
      '/r': answerOf(FORBID_P, TAGGED),
    });
    await scene.visit();
    await later(db, scene, 2 * HOUR_MS);
    scene.answers['/r'] = status(304);
    await givenUrl(db, scene, `${scene.origin}/p/2`);
    scene.asked();
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/r']);
    expect(scene.conditions()).toEqual(['if-none-match: "r1"']);
    expect(await states(db, scene)).toMatchObject({ '/p/2': 'excluded' });
  });

  test('after a 304 that means another file is asked for anew', async ({ db }) => {
    const scene = await wanted(db, ['/q'], { '/robots.txt': answerOf(FORBID_P, TAGGED) });
    await scene.visit();
    await later(db, scene, 2 * HOUR_MS);
    scene.answers['/robots.txt'] = status(304, 'ETag: "r2"');
    await givenUrl(db, scene, `${scene.origin}/p/2`);
    await scene.visit();
    expect(await robotsLine(db)).toMatchObject({ access: 'rules', tries: 1 });
    await later(db, scene, HOUR_MS);
    scene.answers['/robots.txt'] = answerOf('');
    await givenUrl(db, scene, `${scene.origin}/p/3`);
    await scene.visit();
    expect(scene.conditions()).toEqual(['if-none-match: "r1"']);
    expect(await states(db, scene)).toMatchObject({ '/p/2': 'excluded', '/p/3': 'done' });
  });
});

describe('a robots.txt that cannot be read', () => {
  test.for([
    { law: 'for a fault of the server [ROB02]', answer: status(500) },
    { law: 'since too many ask [ROB03]', answer: status(429, 'Retry-After: 120') },
    { law: 'since the host is busy', answer: status(503) },
    { law: 'without a whole answer', answer: cut(['Content-Length: 900'], FORBID_P) },
    { law: 'cut between chunks', answer: cut(['Transfer-Encoding: chunked'], `5\r\nUser-\r\n`) },
    {
      law: 'but in part',
      answer: `HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-9/99\r\nContent-Length: 10\r\n\r\nUser-agent`,
    },
    { law: 'but is said not to have changed', answer: status(304) },
    { law: 'for what is no HTTP', answer: 'SSH-2.0-OpenSSH\r\n' },
    {
      law: 'but for the beginning of its encoding',
      answer: answerOf(gzipSync(FORBID_P).subarray(0, -12), ['Content-Encoding: gzip']),
    },
    {
      law: 'for a redirect to a forbidden address',
      answer: movedTo('http://169.254.169.254/robots.txt'),
    },
    { law: 'for a redirect to a host that is not there', answer: () => undefined, moved: true },
    { law: 'in time', answer: () => undefined },
  ])('$law allows nothing, and the URL waits', async ({ answer, moved = false }, { db }) => {
    const to = moved ? movedTo(`http://127.0.0.1:${await closedPort()}/robots.txt`) : answer;
    const scene = await wanted(db, ['/x'], { '/robots.txt': to }, { pageTimeoutMs: 700 });
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt']);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', reason: null, failures: 0 }]);
    expect(await robotsLine(db)).toMatchObject({ access: 'unreachable', tries: 1 });
  });

  test('since nobody listens allows nothing [ROB04]', async ({ db }) => {
    const scene = await wanted(db, [], {});
    await givenUrl(db, scene, `http://127.0.0.1:${await closedPort()}/x`);
    const { next } = await scene.visit();
    expect(next.kind).toBe('robots');
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', failures: 0 }]);
  });

  test('is asked for with growing pauses, and opens its host once it can be read', async ({
    db,
  }) => {
    const scene = await wanted(db, ['/x'], { '/robots.txt': status(500) });
    const pauses: number[] = [];
    for (let tries = 1; tries <= 7; tries += 1) {
      await scene.visit();
      const line = await robotsLine(db);
      expect(line?.tries).toBe(tries);
      pauses.push(Math.round((line?.retryInMs ?? 0) / 10_000));
      await later(db, scene, (line?.retryInMs ?? 0) + 1_000);
    }
    expect(pauses).toEqual([1, 3, 9, 27, 81, 243, 360]);
    expect(scene.asked()).toEqual(pauses.map(() => '/robots.txt'));

    Object.assign(scene.answers, { '/robots.txt': answerOf(FORBID_P) });
    await scene.visit();
    expect(await states(db, scene)).toEqual({ '/x': 'done' });
  });

  test('is used as it was read before, for a week', async ({ db }) => {
    const scene = await wanted(db, ['/1'], { '/robots.txt': answerOf(FORBID_P) });
    await scene.visit();
    scene.asked();
    Object.assign(scene.answers, { '/robots.txt': status(500) });
    await givenUrl(db, scene, `${scene.origin}/2`);
    await givenUrl(db, scene, `${scene.origin}/p`);
    await later(db, scene, 2 * DAY_MS);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/2']);
    expect(await states(db, scene)).toEqual({ '/1': 'done', '/2': 'done', '/p': 'excluded' });
    expect(await robotsLine(db)).toMatchObject({
      access: 'rules',
      status: 200,
      tries: 1,
      retryInMs: null,
    });

    await givenUrl(db, scene, `${scene.origin}/3`);
    await later(db, scene, 6 * DAY_MS);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt']);
    expect(await states(db, scene)).toMatchObject({ '/3': 'assigned' });
    expect(await robotsLine(db)).toMatchObject({ access: 'unreachable', expiresInMs: null });
  });

  test('where there was none before allows nothing', async ({ db }) => {
    const scene = await wanted(db, ['/1'], { '/robots.txt': status(404) });
    await scene.visit();
    Object.assign(scene.answers, { '/robots.txt': status(500) });
    await givenUrl(db, scene, `${scene.origin}/2`);
    await later(db, scene, 2 * DAY_MS);
    await scene.visit();
    expect(await states(db, scene)).toEqual({ '/1': 'done', '/2': 'assigned' });
  });

  test('for longer than the crawl waits costs the URL its place, but not before it was asked for once more', async ({
    db,
  }) => {
    const scene = await wanted(
      db,
      ['/x'],
      { '/robots.txt': status(500) },
      { robotsWaitMs: HOUR_MS },
    );
    await scene.visit();
    await later(db, scene, 3 * HOUR_MS);
    scene.asked();
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt']);
    expect(await urlLines(db)).toMatchObject([{ state: 'dead', reason: 'robots unreachable' }]);
  });

  test('is left aside in the end where the crawl says so, and asked for all the same', async ({
    db,
  }) => {
    const settings = { robotsWaitMs: HOUR_MS, robotsOpenAfterMs: 30 * DAY_MS };
    const scene = await wanted(db, ['/x'], { '/robots.txt': status(500) }, settings);
    await scene.visit();
    await later(db, scene, HOUR_MS);
    await db.query(`update robots set unreachable_since = now() - interval '29 days'`);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/robots.txt']);
    expect(await states(db, scene)).toEqual({ '/x': 'assigned' });

    await later(db, scene, HOUR_MS);
    await db.query(`update robots set unreachable_since = now() - interval '31 days'`);
    await scene.visit();
    expect(scene.asked()).toEqual(['/robots.txt', '/x']);
    expect(await states(db, scene)).toEqual({ '/x': 'done' });
  });

  test('and at which nobody has looked for days begins its wait anew', async ({ db }) => {
    const scene = await wanted(
      db,
      ['/x'],
      { '/robots.txt': status(500) },
      { robotsWaitMs: HOUR_MS },
    );
    await scene.visit();
    await later(db, scene, 3 * DAY_MS);
    await scene.visit();
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned' }]);
    expect((await robotsLine(db))?.unreachableForMs).toBeLessThan(HOUR_MS / 2);
  });
});
