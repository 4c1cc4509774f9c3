import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { LEASE_MS } from '../../db/claim.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { first, givenUrl, hostLine, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost, type RawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
const HTML = ['Content-Type: text/html; charset=utf-8'];

describe('a visit', () => {
  test('keeps its lease for as long as a page takes: nobody else asks meanwhile [DUR02]', async ({
    db,
  }) => {
    const site = await siteOf(db, () => delay(2.5 * LEASE_MS, answerOf('slow', HTML)));
    const [one, other] = [await depsOn(db), await depsOn(db)];

    const visits = [one, other].map((deps) =>
      visitHost(deps, '127.0.0.1', { pages: 3, ms: 60_000 }),
    );
    await Promise.all(visits);

    expect(pathsOf(site)).toEqual(['/robots.txt', '/']);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
  });

  test('gives the host back when a page times out: the ladder says when, not the lease [DUR03]', async ({
    db,
  }) => {
    const settings = { pageTimeoutMs: 300, retryLadderMs: [20_000] };
    await siteOf(db, () => new Promise(() => undefined), settings);

    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    const [url] = await urlLines(db);
    expect(url).toMatchObject({ state: 'assigned', failures: 1, reason: 'pageTimeout' });
    expect(url?.dueInMs).toBeLessThanOrEqual(20_000);
    const hostId = await ensureHost(db, '127.0.0.1');
    expect(await hostLine(db, hostId)).toMatchObject({ token: null, leaseInMs: null });
  });

  test('tells its workflow next to nothing of a page of 5 MB with 20,000 links [DUR07]', async ({
    db,
  }) => {
    const links = Array.from({ length: 20_000 }, (_, at) => `<a href="/page/${at}">${at}</a>`);
    const page = `<title>Big</title>${links.join('')}<!--${'x'.repeat(4_000_000)}-->`;
    await siteOf(db, () => Promise.resolve(answerOf(page, HTML)));

    const result = await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(JSON.stringify(result).length).toBeLessThan(2_000);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
    const { rows } = await db.query<{ links: number }>(
      `select sum(jsonb_array_length(links))::int as links from outbox`,
    );
    expect(first(rows).links).toBeGreaterThan(1_000);
  });
});

describe('text that Postgres cannot hold', () => {
  test.for([
    { law: 'NUL in a title [DBS01]', title: 'a\0b', kept: /^a\uFFFD?b$/ },
    { law: 'NUL as a reference in a title [DBS02]', title: 'a&#0;b', kept: /^a\uFFFD?b$/ },
    { law: 'half a surrogate in a title', title: 'a&#xD800;b', kept: /^a\uFFFDb$/ },
  ])('$law costs no page', async ({ title, kept }, { db }) => {
    const page = `<title>${title}</title><a href="/x\0y&#0;z">x</a>`;
    await siteOf(db, () => Promise.resolve(answerOf(page, HTML)));

    await visitHost(await depsOn(db), '127.0.0.1', { pages: 2, ms: 60_000 });

    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
    const { rows } = await db.query<{ title: string }>(
      `select title from fetch_record where title is not null`,
    );
    expect(first(rows).title).toMatch(kept);
  });
});

/** A host whose home page is answered by `answer`; it has no robots.txt. */
async function siteOf(
  db: Db,
  answer: () => Promise<Buffer>,
  settings: Partial<CrawlSettings> = {},
): Promise<RawHost> {
  const site = await rawHost((socket, head) => {
    if (!head.startsWith('GET / ')) socket.end(NOT_FOUND);
    else void answer().then((bytes) => socket.end(bytes));
  });
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...settings });
  const hostId = await ensureHost(db, '127.0.0.1');
  await givenUrl(db, { crawlId, hostId }, site.url);
  return site;
}

function pathsOf({ requests }: RawHost): readonly string[] {
  return requests.map((head) => head.split(' ')[1] ?? '');
}
