import { describe, expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { ensureHost } from '../../db/leases.ts';
import { countOf, givenUrl, runningCrawl, type GivenUrl } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';
import { NOT_FOUND, visitedHost } from './a-visited-host.ts';

const XML = ['Content-Type: application/xml'];
const ROBOTS = 'User-agent: *\nDisallow: /private/\n';

const named = (origin: string): GivenUrl => ({ foundOn: `${origin}/robots.txt` });

const urlset = (...locs: readonly string[]): string =>
  `<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;

describe('the sitemaps that a robots.txt names', () => {
  test('become URLs of the crawl, against the address of the file, but for itself [MAP18] [MAP10]', async ({
    db,
  }) => {
    const answers = {
      '/robots.txt': answerOf(`${ROBOTS}Sitemap: /maps/s.xml\nSitemap: robots.txt\n`),
      '/': answerOf('home'),
    };
    const { left } = await visitedHost(db, answers, '/');
    expect(left).toEqual([{ path: '/maps/s.xml', foundOn: '/robots.txt', depth: 0 }]);
  });

  test('are told to a crawl once, however many pages it visits', async ({ db }) => {
    const deps = await depsOn(db);
    const answers = {
      '/robots.txt': answerOf(`${ROBOTS}Sitemap: /s.xml\n`),
      '/': answerOf('home'),
    };
    await visitedHost(db, answers, '/', { deps });
    const before = await countOf(db, 'outbox where found_on like $1', ['%/robots.txt']);
    expect(before).toBe(1);
    await db.query(`update url set state = 'assigned', due_at = clock_timestamp()`);
    await visitHost(deps, '127.0.0.1', { pages: 1, ms: 60_000 });
    expect(await countOf(db, 'outbox where found_on like $1', ['%/robots.txt'])).toBe(before);
  });

  test('of another host count within the scope only', async ({ db }) => {
    const answers = {
      '/robots.txt': answerOf(
        `Sitemap: https://cdn.example/s.xml\nSitemap: https://in.example/s.xml`,
      ),
      '/': answerOf('home'),
    };
    const settings = { scope: 'host', scopeRoots: ['in.example'] } as const;
    const { left } = await visitedHost(db, answers, '/', { settings });
    expect(left.map(({ path }) => path)).toEqual(['https://in.example/s.xml']);
  });
});

test('that nobody wants is not even asked for', async ({ db }) => {
  const answers = {
    '/robots.txt': answerOf(`${ROBOTS}Sitemap: /s.xml\n`),
    '/': answerOf('home'),
  };
  const { left } = await visitedHost(db, answers, '/', { settings: { sitemaps: false } });
  expect(left).toEqual([]);
});

test('holds up no seed, however many of its lines are bad [MAP20]', async ({ db }) => {
  const lines = Array.from({ length: 2_000 }, (_, n) => `Sitemap: http://[${n}\n`).join('');
  const answers = {
    '/robots.txt': answerOf(`${lines}Sitemap: /never.xml\n`),
    '/': answerOf('home'),
  };
  const { asked, left } = await visitedHost(db, answers, '/');
  // The seed is not held up: a sitemap is a URL like others, that waits for its own turn.
  expect(asked).toEqual(['/robots.txt', '/']);
  expect(left.map(({ path }) => path)).toEqual(['/never.xml']);
});

test('whose worker is killed half-way is read again, and each of its 50,000 entries is one row [DUR14]', async ({
  db,
}) => {
  const body = answerOf(urlset(...Array.from({ length: 50_000 }, (_, n) => `/${n}`)), XML);
  const site = await rawHost((socket, head) => {
    socket.end(head.startsWith('GET /s.xml ') ? body : NOT_FOUND);
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0 });
  const hostId = await ensureHost(db, '127.0.0.1');
  await givenUrl(db, { crawlId, hostId }, `${origin}/s.xml`, named(origin));
  const deps = await depsOn(db);
  await visitHost(deps, '127.0.0.1', { pages: 2, ms: 60_000 });
  expect((await admit(db, { crawlId, shard: 0 })).admitted).toBeLessThan(50_000);
  // What a kill leaves before the settle: entries handed over, some of them admitted, and the sitemap still assigned.
  await db.query(`update url set state = 'assigned', due_at = now() where source_id in
                     (select source_id from source where url like '%/robots.txt')`);

  await visitHost(deps, '127.0.0.1', { pages: 1, ms: 60_000 });
  while ((await admit(db, { crawlId, shard: 0 })).rows > 0);

  expect(site.requests.filter((head) => head.startsWith('GET /s.xml '))).toHaveLength(2);
  expect(await countOf(db, `url where depth = 1 and state = 'queued'`)).toBe(50_000);
});

describe('a sitemap', () => {
  test('gives its pages to the crawl, one link from the start, and is no page of the budget [MAP19]', async ({
    db,
  }) => {
    const answers = { '/s.xml': answerOf(urlset('/1', '/2', '/private/3'), XML) };
    const { left, asked } = await visitedHost(db, answers, '/s.xml');
    // robots.txt is asked for each of them when its turn comes.
    expect(left).toEqual(
      ['/1', '/2', '/private/3'].map((path) => ({ path, foundOn: '/s.xml', depth: 1 })),
    );
    expect(asked).toEqual(['/robots.txt', '/s.xml']);
    expect(await countOf(db, `outbox where outcome = 'fetched' and settled = 0`)).toBe(1);
    expect(await countOf(db, `fetch_record where links = 3 and reason = 'sitemap'`)).toBe(1);
  });

  test('speaks for its own host only [MAP16]', async ({ db }) => {
    const locs = [
      '/1',
      'https://b.test/2',
      'javascript:alert(1)',
      'ftp://a.test/3',
      'http://169.254.169.254/latest',
    ];
    const answers = { '/s.xml': answerOf(urlset(...locs), XML) };
    const { left } = await visitedHost(db, answers, '/s.xml', { settings: { scope: 'any' } });
    expect(left.map(({ path }) => path)).toEqual(['/1']);
  });

  test('speaks for the host whose robots.txt names it too', async ({ db }) => {
    const answers = {
      '/s.xml': answerOf(urlset('/1', 'https://b.test/2', 'https://c.test/3'), XML),
    };
    const { left } = await visitedHost(db, answers, '/s.xml', {
      settings: { scope: 'any' },
      given: () => ({ foundOn: 'https://b.test/robots.txt' }),
    });
    expect(left.map(({ path }) => path)).toEqual(['/1', 'https://b.test/2']);
  });

  test('may be a text, compressed, where it is called a sitemap [MAP17]', async ({ db }) => {
    const { gzipSync } = await import('node:zlib');
    const text = (origin: string): Buffer => gzipSync(`${origin}/1\r\n${origin}/2\r\n`);
    const site = await rawHost((socket, head) => {
      const isList = head.startsWith('GET /list');
      const origin = `http://127.0.0.1:${site.port}`;
      socket.end(isList ? answerOf(text(origin), ['Content-Type: application/gzip']) : NOT_FOUND);
    });
    const origin = `http://127.0.0.1:${site.port}`;
    const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0 });
    const hostId = await ensureHost(db, '127.0.0.1');
    await givenUrl(db, { crawlId, hostId }, `${origin}/list.txt.gz`, named(origin));
    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });
    expect(await countOf(db, `outbox, jsonb_array_elements(links) l`)).toBe(2);
  });

  test('that is an index leads to sitemaps by the word of the same robots.txt', async ({ db }) => {
    const body = '<sitemapindex><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>';
    const answers = { '/s.xml': answerOf(body, XML) };
    const { left } = await visitedHost(db, answers, '/s.xml', {
      given: named,
      settings: { depthLimit: 0 },
    });
    expect(left).toEqual([{ path: '/2.xml', foundOn: '/robots.txt', depth: 1 }]);
  });

  test('is larger than a page may be', async ({ db }) => {
    const locs = Array.from({ length: 2_000 }, (_, n) => `/${n}`);
    const answers = { '/s.xml': answerOf(urlset(...locs), XML) };
    const { left } = await visitedHost(db, answers, '/s.xml', {
      given: named,
      settings: { maxBodyBytes: 1_000 },
    });
    expect(left).toHaveLength(2_000);
  });
});
