import { describe, expect } from 'vitest';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { countOf, everything } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf } from '../web/loopback.ts';
import { depsOn } from './a-visit.ts';
import { visitedHost, type VisitedHost } from './a-visited-host.ts';

const HTML = ['Content-Type: text/html'];

/** What a visit of a home page leaves. */
async function linked(
  db: Db,
  html: string,
  settings: Partial<CrawlSettings> = {},
): Promise<VisitedHost & { readonly paths: readonly string[] }> {
  const visited = await visitedHost(db, { '/': answerOf(html, HTML) }, '/', { settings });
  return { ...visited, paths: visited.left.map(({ path }) => path) };
}

describe('links of a page', () => {
  test('that lead into a trap stay out, those beside them do not', async ({ db }) => {
    const html = '<a href="/a/a/a/a"><a href="/calendar/2099/01"><a href="/ok"><a href="/?b&b&b">';
    const { paths, logged } = await linked(db, html);

    expect(paths).toEqual(['/ok']);
    expect(logged.join('\n')).toMatch(
      /\{"repeatedSegments":1,"calendar":1,"repeatedParameters":1\}/,
    );
  });

  test('go into the band of the first rule that fits', async ({ db }) => {
    const settings = { priority: ['path:/late/*=3', 'path:/*=1'] };
    await linked(db, '<a href="/late/1"><a href="/2">', settings);
    const { rows } = await db.query<{ bands: number[] }>(
      `select array_agg((l ->> 'band')::int order by l ->> 'url') as bands
         from outbox, jsonb_array_elements(links) l`,
    );

    expect(rows).toEqual([{ bands: [1, 3] }]);
  });

  test('that the frontier is known to hold stay out of the outbox, and count as links', async ({
    db,
  }) => {
    const deps = await depsOn(db);
    const crawlId = 1;
    deps.seenCache.add(crawlId, ['http://seen.test/']);
    const html = '<a href="http://seen.test/"><a href="http://new.test/">';
    const { left } = await visitedHost(db, { '/': answerOf(html, HTML) }, '/', { deps });

    expect(left.map(({ path }) => path)).toEqual(['http://new.test/']);
    expect(
      await countOf(db, `fetch_record where links = 2 and crawl_id = ${String(crawlId)}`),
    ).toBe(1);
  });

  test('that are bad cost none of the others [URL30]', async ({ db }) => {
    const bad = [
      'http://',
      'http://a b/',
      'http://[::1',
      'https://%zz/',
      'https://a.test:65536/',
      'http://256.1.1.1/',
      'https://xn--a/',
    ];
    const html = bad.map((href) => `<a href="${href}">`).join('');
    const { paths, logged } = await linked(db, `${html}<a href="mailto:a@b"><a href="/ok">`);

    expect(paths).toEqual(['/ok']);
    expect(logged.join('\n')).toMatch(/\{"scheme":1,"malformed":7\}/);
  });

  test('that are bad by the thousand are one line of the log [OPS06]', async ({ db }) => {
    const html = Array.from({ length: 50_000 }, (_, n) => `<a href="http://[${n}">`).join('');
    const { logged } = await linked(db, html);

    expect(logged.filter((line) => line.includes('links not taken'))).toHaveLength(1);
    expect(logged.length).toBeLessThan(5);
  });

  test.for<[boolean, string[]]>([
    [false, ['/1', '/2', '/3']],
    [true, ['/3']],
  ])('marked nofollow: left out %s', async ([obeyNofollow, paths], { db }) => {
    const html = '<a rel=nofollow href="/1"><a rel="ugc x" href="/2"><a href="/3">';

    expect((await linked(db, html, { obeyNofollow })).paths).toEqual(paths);
  });

  test.for<[boolean, string[]]>([
    [false, ['/p']],
    [true, ['/i.png', '/p']],
  ])('to what the page shows: taken %s', async ([embeds, paths], { db }) => {
    const html = '<img src="/i.png"><a href="/p">';

    expect((await linked(db, html, { embeds })).paths).toEqual(paths);
  });

  test('are asked for as they are written, and are one by their key [URL32]', async ({ db }) => {
    const html =
      '<a href="/s?b=2&a=1&b=1"><a href="/s?a=1&b=2&b=1"><a href="/s;jsessionid=5?a=1&b=2&b=1"><a href="/s?a=1&b=1&b=2">';

    expect((await linked(db, html)).paths).toEqual(['/s?a=1&b=1&b=2', '/s?b=2&a=1&b=1']);
  });

  test('with a password are taken without, and the password is nowhere [URL34] [SEC13]', async ({
    db,
  }) => {
    const html =
      '<a href="http://ann:s3cret@a.test/x"><a href="http://:s3cret@[bad"><a href="mailto:s3cret@a">';
    const { paths, logged } = await linked(db, html);

    expect(paths).toEqual(['http://a.test/x']);
    expect(logged.join('\n')).toContain('"userinfo":1');
    expect(logged.join('\n') + (await everything(db))).not.toContain('s3cret');
  });

  test('to names that objects have by themselves are links like others [SEC14]', async ({ db }) => {
    const html =
      '<meta name="__proto__" content="x"><meta name="constructor" content="y"><a href="/?__proto__=1&constructor=2"><a href="/__proto__/toString">';

    expect((await linked(db, html)).paths).toEqual([
      '/?__proto__=1&constructor=2',
      '/__proto__/toString',
    ]);
    expect(({} as { readonly x?: unknown }).x).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('forty to the same page are one row [LNK20]', async ({ db }) => {
    const html = Array.from({ length: 40 }, (_, n) => `<a href="/x#s${n}">`).join('');

    expect((await linked(db, html)).paths).toEqual(['/x']);
  });
});

describe('a redirect', () => {
  const to = (location: string): string =>
    `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;

  test('with a password leads on without it [SEC13]', async ({ db }) => {
    const answers = { '/': to('http://ann:s3cret@a.test/x') };
    const { left, logged } = await visitedHost(db, answers, '/');

    expect(left).toMatchObject([{ path: 'http://a.test/x' }]);
    expect(logged.join('\n') + (await everything(db))).not.toContain('s3cret');
  });

  test('out of the scope ends there, and says so [LNK26]', async ({ db }) => {
    const settings = { scope: 'domain', scopeRoots: ['127.0.0.1'] } as const;
    const { left } = await visitedHost(db, { '/': to('http://other.test/') }, '/', { settings });

    expect(left).toEqual([]);
    expect(await everything(db)).toContain('redirect excluded: scope');
  });

  test('into a trap ends there too', async ({ db }) => {
    const { left } = await visitedHost(db, { '/': to('/a/a/a/a') }, '/');

    expect(left).toEqual([]);
  });

  test('to another spelling of its URL: links are read against that one [LNK05]', async ({
    db,
  }) => {
    const answers = {
      '/d/': to('/d;jsessionid=1/'),
      '/d;jsessionid=1/': answerOf('<a href="c">', HTML),
    };
    const { left, asked } = await visitedHost(db, answers, '/d/');

    expect(asked).toEqual(['/robots.txt', '/d/', '/d;jsessionid=1/']);
    expect(left.map(({ path }) => path)).toEqual(['/d;jsessionid=1/c']);
  });
});
