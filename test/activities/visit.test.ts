import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { changePolicy } from '../../db/host-policies.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import {
  countOf,
  everything,
  givenUrl,
  hostLine,
  runningCrawl,
  urlLines,
  type GivenUrl,
} from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost, type RawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

type Answers = Readonly<Record<string, string | Buffer>>;

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
const FAST = { minGapMs: 1, gapFactor: 0 };
const HTML = ['Content-Type: text/html'];

describe('a visit', () => {
  test('asks for robots.txt first, then for the page, and leaves its links for the one writer', async ({
    db,
  }) => {
    const { site } = await crawled(db, { '/': answerOf('<a href="/next">next</a>', HTML) });

    const result = await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(pathsOf(site)).toEqual(['/robots.txt', '/']);
    expect(result).toMatchObject({ requests: 2, next: { kind: 'again' } });
    expect(await urlLines(db)).toMatchObject([{ state: 'done', claims: 0 }]);
    const { rows } = await db.query<{ url: string }>(
      `select l ->> 'url' as url from outbox, jsonb_array_elements(links) l`,
    );
    expect(rows).toEqual([{ url: `http://127.0.0.1:${site.port}/next` }]);
    expect(await countOf(db, 'fetch_record where warc_file is not null')).toBe(1);
  });

  test.for([
    {
      law: 'of a page that asks not to be followed',
      headers: ['X-Robots-Tag: nofollow'],
      links: [],
    },
    {
      law: 'of a page whose date is to come [ROB24]',
      headers: ['X-Robots-Tag: unavailable_after: Sat, 25 Jun 2039 15:00:00 GMT, nofollow'],
      links: [],
    },
    {
      law: 'of a page that asks another robot [ROB23]',
      headers: ['X-Robots-Tag: otherbot: noindex, nofollow', 'X-Robots-Tag: noarchive'],
      links: ['/next'],
    },
    {
      law: 'of a page that is not to be indexed',
      headers: ['X-Robots-Tag: noindex'],
      links: ['/next'],
      noindex: true,
    },
    { law: 'of a header too', headers: ['Refresh: 0; url=/then'], links: ['/next', '/then'] },
  ])('leaves the links $law', async ({ headers, links, noindex = false }, { db }) => {
    const page = answerOf('<a href="/next">next</a>', [...HTML, ...headers]);
    const { site } = await crawled(db, { '/': page });

    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    const left = await db.query<{ url: string }>(
      `select l ->> 'url' as url from outbox, jsonb_array_elements(links) l order by 1`,
    );
    const origin = `http://127.0.0.1:${site.port}`;
    expect(left.rows.map(({ url }) => url)).toEqual(links.map((path) => origin + path));
    const recorded = await db.query(`select noindex from fetch_record where key_hash is not null`);
    expect(recorded.rows).toEqual([{ noindex }]);
  });

  test('never asks for what robots.txt forbids', async ({ db }) => {
    const { site } = await crawled(db, { '/robots.txt': answerOf('User-agent: *\nDisallow: /') });

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 60_000 });

    expect(next).toEqual({ kind: 'empty' });
    expect(pathsOf(site)).toEqual(['/robots.txt']);
    expect(await urlLines(db)).toMatchObject([
      { state: 'excluded', reason: 'robots: Disallow: / (line 2)' },
    ]);
  });

  test('asks a host that its policy excludes for nothing, robots.txt neither', async ({ db }) => {
    const { site, crawlId, hostId } = await crawled(db, {});
    await givenUrl(db, { crawlId, hostId }, `${site.url}more`, { reserved: true });
    await changePolicy(db, '127.0.0.1', { excluded: true }, 'ann');

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 60_000 });

    expect(next).toEqual({ kind: 'empty' });
    expect(pathsOf(site)).toEqual([]);
    expect(await urlLines(db)).toMatchObject([
      { state: 'excluded', reason: 'policy', claims: 0 },
      { state: 'excluded', reason: 'policy', claims: 0, reserved: false },
    ]);
    expect(await countOf(db, 'outbox where released = 1')).toBe(1);
  });

  test('goes by a policy that comes while it lasts: the pages of the day, then rest', async ({
    db,
  }) => {
    let asked = 0;
    const { site, crawlId, hostId } = await crawled(
      db,
      { '/': answerOf('one', HTML), '/2': answerOf('two', HTML), '/3': answerOf('three', HTML) },
      {
        onRequest: () => {
          asked += 1;
          if (asked === 2) void changePolicy(db, '127.0.0.1', { pagesADay: 3 }, 'ann');
        },
      },
    );
    await givenUrl(db, { crawlId, hostId }, `${site.url}2`);
    await givenUrl(db, { crawlId, hostId }, `${site.url}3`);

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 9, ms: 60_000 });

    expect(next.kind).toBe('resting');
    expect(pathsOf(site)).toHaveLength(3);
    expect(await hostLine(db, hostId)).toMatchObject({ state: 'resting', token: null });
  });

  test('leaves the wait that a host asks for to a durable timer', async ({ db }) => {
    await crawled(db, {
      '/': 'HTTP/1.1 429 Too Many\r\nRetry-After: 100\r\nContent-Length: 0\r\n\r\n',
    });

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 600_000 });

    expect(next.kind).toBe('again');
    expect((next as { waitMs: number }).waitMs).toBeGreaterThan(50_000);
    const [url] = await urlLines(db);
    expect(url).toMatchObject({ state: 'assigned', failures: 0, claims: 0 });
    expect(url?.dueInMs).toBeGreaterThan(50_000);
    expect(await hostLine(db, await ensureHost(db, '127.0.0.1'))).toMatchObject({
      backoffLevel: 1,
    });
  });

  test.for([
    { failures: 0, state: 'assigned', reason: 'serverError' },
    { failures: 1, state: 'dead', reason: 'retries spent: serverError' },
  ])('climbs the ladder from step $failures', async ({ failures, state, reason }, { db }) => {
    const settings = { retryLadderMs: [3_600_000] };
    await crawled(
      db,
      { '/': 'HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n' },
      { settings, given: { failures } },
    );

    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(await urlLines(db)).toMatchObject([{ state, reason, failures: failures + 1 }]);
  });

  test('follows a redirect to the same key under the same URL, and no further than five hops', async ({
    db,
  }) => {
    const moved = 'HTTP/1.1 301 Moved\r\nLocation: /?utm_source=x\r\nContent-Length: 0\r\n\r\n';
    const { site } = await crawled(db, { '/': moved, '/?utm_source=x': moved });

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 20, ms: 60_000 });

    expect(next).toEqual({ kind: 'empty' });
    expect(pathsOf(site)).toHaveLength(1 + 6);
    expect(await urlLines(db)).toMatchObject([{ state: 'dead', reason: 'too many redirects' }]);
  });

  test('gives a URL up that was claimed three times and never settled, without asking for it', async ({
    db,
  }) => {
    const { site } = await crawled(db, {}, { given: { claims: 3 } });

    const { next } = await visitHost(await depsOn(db), '127.0.0.1', { pages: 5, ms: 60_000 });

    expect(next).toEqual({ kind: 'empty' });
    expect(pathsOf(site)).toEqual(['/robots.txt']);
    expect(await urlLines(db)).toMatchObject([{ state: 'dead', reason: 'never settled' }]);
  });

  test('that lost its lease breaks the request off and changes nothing', async ({ db }) => {
    let asked = (): void => undefined;
    const pageAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { site } = await crawled(
      db,
      {},
      {
        hang: () => {
          asked();
        },
      },
    );
    const visiting = visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });
    await pageAsked;
    await db.query(
      `update host set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour', next_allowed_at = now() + interval '1 hour'`,
    );
    const before = await everything(db);

    const { next } = await visiting;

    expect(next.kind).toBe('again');
    expect(await everything(db)).toBe(before);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', failures: 0 }]);
    await expect.poll(() => site.sockets.size, { timeout: 20_000 }).toBe(0);
  });

  test('settles after the database has dropped its connections [DBS08]', async ({ db }) => {
    await crawled(db, { '/': answerOf('hello', HTML) });
    const deps = await depsOn(db);
    const cut = { times: 0 };
    const write = deps.warc.write;
    const warc: typeof deps.warc = {
      ...deps.warc,
      write: async (exchange) => {
        const place = await write(exchange);
        cut.times += 1;
        const killer = await db.connect();
        await killer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
        killer.release(true);
        return place;
      },
    };

    await visitHost({ ...deps, warc }, '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(cut.times).toBe(1);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
  });

  test('that is told to stop finishes its page and skips the gap [DUR10]', async ({ db }) => {
    const stop = new AbortController();
    const { site, crawlId, hostId } = await crawled(
      db,
      { '/': answerOf('hello', HTML) },
      {
        settings: { minGapMs: 30_000 },
        onRequest: (path) => {
          if (path === '/') stop.abort();
        },
      },
    );
    await db.query(
      `insert into robots (host_id, origin, access, version, expires_at)
       values ($1, $2, 'allowAll', 1, now() + interval '1 day')`,
      [hostId, `http://127.0.0.1:${site.port}`],
    );
    await givenUrl(db, { crawlId, hostId }, `http://127.0.0.1:${site.port}/second`);

    const deps = await depsOn(db, { stopping: stop.signal });
    const result = await visitHost(deps, '127.0.0.1', { pages: 5, ms: 600_000 });

    expect(result).toMatchObject({ requests: 1, next: { kind: 'again' } });
    expect((await urlLines(db)).map(({ state }) => state)).toEqual(['done', 'assigned']);
  });

  test("follows a robots.txt to another host under that host's claim, never with two leases", async ({
    db,
  }) => {
    const leases: number[] = [];
    const onRequest = (): void =>
      void countOf(db, 'host where lease_until > now()').then((count) => leases.push(count));
    const guest = await rawHost(
      (socket) => {
        onRequest();
        socket.end(NOT_FOUND);
      },
      { address: '127.0.0.2' },
    );
    const moved = `HTTP/1.1 302 Found\r\nLocation: ${guest.url}robots.txt\r\nContent-Length: 0\r\n\r\n`;
    await crawled(db, { '/robots.txt': moved, '/': answerOf('hello', HTML) }, { onRequest });
    const guestId = await ensureHost(db, '127.0.0.2');
    await db.query(
      `update host set next_allowed_at = now() + interval '1 hour' where host_id = $1`,
      [guestId],
    );
    const deps = await depsOn(db);

    const early = await visitHost(deps, '127.0.0.1', { pages: 5, ms: 60_000 });
    expect(early.next.kind).toBe('again');
    expect((early.next as { waitMs: number }).waitMs).toBeGreaterThan(3_000_000);
    expect(guest.requests).toHaveLength(0);

    await db.query(`update host set next_allowed_at = '-infinity'`);
    expect((await visitHost(deps, '127.0.0.1', { pages: 5, ms: 60_000 })).next).toEqual({
      kind: 'empty',
    });
    expect(guest.requests).toHaveLength(1);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
    await expect.poll(() => leases.length).toBe(3);
    expect(Math.max(...leases)).toBeLessThanOrEqual(1);
  });
});

/** A host on loopback with one assigned URL, its home page. */
async function crawled(
  db: Db,
  answers: Answers,
  {
    settings = {},
    given = {},
    hang,
    onRequest,
  }: {
    readonly settings?: Partial<CrawlSettings>;
    readonly given?: GivenUrl;
    readonly hang?: () => void;
    readonly onRequest?: (path: string) => void;
  } = {},
): Promise<{ readonly site: RawHost; readonly crawlId: number; readonly hostId: number }> {
  const site = await rawHost((socket: Socket, head) => {
    const path = pathOf(head);
    onRequest?.(path);
    if (hang !== undefined && path === '/') hang();
    else socket.end(answers[path] ?? NOT_FOUND);
  });
  const crawlId = await runningCrawl(db, { ...FAST, ...settings });
  const hostId = await ensureHost(db, '127.0.0.1');
  await givenUrl(db, { crawlId, hostId }, site.url, given);
  return { site, crawlId, hostId };
}

function pathOf(head: string): string {
  return head.split(' ')[1] ?? '';
}

function pathsOf({ requests }: RawHost): readonly string[] {
  return requests.map(pathOf);
}
