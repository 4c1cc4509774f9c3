import { describe, expect } from 'vitest';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { admitAll } from '../db/a-shard.ts';
import { countOf, givenUrl, runningCrawl, urlLines, type GivenUrl } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost, type RawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

const NO_LIMIT = { pages: 50, ms: 60_000 };
const HTML = ['Content-Type: text/html'];
const CUT =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n<a href="/next">';

describe('a page that is cut short', () => {
  test('waits for its next try, and nothing of it is kept [HTP06]', async ({ db }) => {
    await crawled(db, { '/': CUT }, ['/']);

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(await urlLines(db)).toMatchObject([
      { state: 'assigned', reason: 'cutShort', failures: 1 },
    ]);
    expect(await countOf(db, 'fetch_record where warc_file is not null')).toBe(0);
    expect(await countOf(db, 'fetch_record where outcome = $1 and truncated', ['failed'])).toBe(1);
    expect(await leftLinks(db)).toEqual([]);
  });

  test('is kept at its last try as it came, marked as truncated, and its links are followed', async ({
    db,
  }) => {
    const site = await crawled(db, { '/': CUT }, ['/'], { given: { failures: 3 } });

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(await urlLines(db)).toMatchObject([{ state: 'done', reason: 'cut short' }]);
    expect(await countOf(db, 'fetch_record where warc_file is not null and truncated')).toBe(1);
    expect(await leftLinks(db)).toEqual([`${site.url}next`]);
  });
});

describe('an answer', () => {
  test('about our pace is no page: nothing of it is kept or followed [RTY10]', async ({ db }) => {
    const body = '<a href="/captcha">slow down</a>';
    const slow = `HTTP/1.1 429 Slow\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await crawled(db, { '/': slow }, ['/']);

    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', failures: 0 }]);
    expect(await countOf(db, 'fetch_record where warc_file is not null')).toBe(0);
    expect(await leftLinks(db)).toEqual([]);
  });

  test('that puts us off stops every worker at once [RTY11]', async ({ db }) => {
    const paths = Array.from({ length: 20 }, (_, page) => `/${page}`);
    let pages = 0;
    const site = await crawled(
      db,
      (path) => {
        if (path === '/robots.txt') return undefined;
        pages += 1;
        return pages < 5
          ? answerOf('fine')
          : 'HTTP/1.1 429 Slow\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n';
      },
      paths,
    );

    const workers = await Promise.all([1, 2, 3, 4].map(() => depsOn(db)));
    await Promise.all(workers.map((deps) => visitHost(deps, '127.0.0.1', NO_LIMIT)));
    await Promise.all(workers.map((deps) => visitHost(deps, '127.0.0.1', NO_LIMIT)));

    expect(pages).toBe(5);
    expect(site.requests).toHaveLength(6);
  });

  test('of a type that no text crawler keeps is not read, and says so [HTP18]', async ({ db }) => {
    await crawled(db, { '/': answerOf('x'.repeat(100), ['Content-Type: video/mp4']) }, ['/']);

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(await urlLines(db)).toMatchObject([{ state: 'done', reason: 'skipped: media type' }]);
    expect(await countOf(db, 'fetch_record where truncated and body_bytes = 0')).toBe(1);
  });

  test('without a type is read by what it is [HTP13]', async ({ db }) => {
    const site = await crawled(db, { '/': answerOf('<!DOCTYPE html><a href="/x">x</a>') }, ['/']);

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(await leftLinks(db)).toEqual([`${site.url}x`]);
  });

  test.for([
    { law: 'is not sent back', settings: {}, sent: 0 },
    { law: 'is sent back in the same visit, if so wished', settings: { cookies: true }, sent: 1 },
  ])('that sets a cookie: it $law', async ({ settings, sent }, { db }) => {
    const page = answerOf('page', [...HTML, 'Set-Cookie: id=1; Path=/']);
    const site = await crawled(db, { '/': page, '/b': page, '/c': page }, ['/', '/b', '/c'], {
      settings,
    });
    const deps = await depsOn(db);

    await visitHost(deps, '127.0.0.1', { pages: 3, ms: 60_000 });
    await visitHost(deps, '127.0.0.1', NO_LIMIT);

    expect(pathsOf(site)).toEqual(['/robots.txt', '/', '/b', '/c']);
    expect(site.requests.filter((head) => /^cookie: id=1\r$/m.test(head))).toHaveLength(sent);
  });
});

describe('redirects', () => {
  test('in a ring are asked for once each [RED02]', async ({ db }) => {
    const site = await crawled(db, { '/a': to('/b'), '/b': to('/a') }, ['/a', '/b']);

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);
    await admitAll(db, await crawlOf(db));

    expect(pathsOf(site)).toEqual(['/robots.txt', '/a', '/b']);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  });

  test('to a page that is known ask for nothing more, and are recorded [RED10]', async ({ db }) => {
    const home = to('/home');
    const site = await crawled(
      db,
      { '/home': answerOf('home', HTML), '/1': home, '/2': home, '/3': home },
      ['/home', '/1', '/2', '/3'],
    );

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);
    await admitAll(db, await crawlOf(db));

    expect(pathsOf(site)).toEqual(['/robots.txt', '/home', '/1', '/2', '/3']);
    expect(await urlLines(db)).toHaveLength(4);
    expect(await countOf(db, 'fetch_record where location = $1', [`${site.url}home`])).toBe(3);
  });

  test('to another host wait in its queue, behind its robots.txt and its gap [RED15]', async ({
    db,
  }) => {
    const other = await rawHost((socket) => socket.end(answerOf('page')), { address: '127.0.0.2' });
    const paths = Array.from({ length: 20 }, (_, page) => `/${page}`);
    await crawled(db, (path) => to(`${other.url}p${path.slice(1)}`), paths, {
      settings: { scope: 'any' },
      robots: answerOf('User-agent: *\nAllow: /'),
    });

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(other.requests).toEqual([]);
    expect(await admitAll(db, await crawlOf(db))).toBe(20);
    const queued = await countOf(db, `url join host using (host_id) where host_key = '127.0.0.2'`);
    expect(queued).toBe(20);
  });

  test('out of the scope are not followed, and say so [RED11]', async ({ db }) => {
    const other = await rawHost((socket) => socket.end(answerOf('page')), { address: '127.0.0.2' });
    await crawled(db, { '/out': to(`${other.url}?next=1`) }, ['/out'], {
      settings: { scope: 'host', scopeRoots: ['127.0.0.1'] },
    });

    await visitHost(await depsOn(db), '127.0.0.1', NO_LIMIT);

    expect(await leftLinks(db)).toEqual([]);
    expect(other.connections()).toBe(0);
    expect(await urlLines(db)).toMatchObject([
      { state: 'done', reason: 'redirect excluded: scope' },
    ]);
  });
});

type Answer = string | Buffer | undefined;

/** A host with these answers, known to a crawl that owes it these paths. */
async function crawled(
  db: Db,
  answers: Readonly<Record<string, Answer>> | ((path: string) => Answer),
  paths: readonly string[],
  {
    settings = {},
    given = {},
    robots,
  }: {
    readonly settings?: Partial<CrawlSettings>;
    readonly given?: GivenUrl;
    readonly robots?: Buffer;
  } = {},
): Promise<RawHost> {
  const site = await rawHost((socket, head) => {
    const path = pathOf(head);
    const answer = typeof answers === 'function' ? answers(path) : answers[path];
    socket.end((path === '/robots.txt' ? robots : answer) ?? NOT_FOUND);
  });
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...settings });
  const hostId = await ensureHost(db, '127.0.0.1');
  for (const [index, path] of paths.entries()) {
    const dueInMs = index - 1_000;
    await givenUrl(db, { crawlId, hostId }, site.url + path.slice(1), { dueInMs, ...given });
  }
  return site;
}

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';

function to(location: string): string {
  return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
}

async function crawlOf(db: Db): Promise<number> {
  const { rows } = await db.query<{ id: number }>('select crawl_id as id from crawl');
  return rows[0]?.id ?? 0;
}

async function leftLinks(db: Db): Promise<readonly string[]> {
  const { rows } = await db.query<{ url: string }>(
    `select l ->> 'url' as url from outbox, jsonb_array_elements(links) l order by 1`,
  );
  return rows.map(({ url }) => url);
}

function pathsOf({ requests }: RawHost): readonly string[] {
  return requests.map(pathOf);
}

function pathOf(head: string): string {
  return head.split(' ')[1] ?? '';
}
