import { describe, expect } from 'vitest';
import { createResolver } from '../../web/resolver.ts';
import type { ActivityDeps } from '../../activities/deps.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { countOf, givenUrl, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost, type RawHost } from '../web/loopback.ts';
import { nameServer } from '../web/name-server.ts';
import { depsOn, visitHost } from './a-visit.ts';

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';

/** The test's own host; everything else on this machine is as forbidden as it is by default. */
const ONE_ADDRESS = { allowPrivate: false, allowedRanges: ['127.0.0.1/32'] };

describe('where nothing may go', () => {
  test.for([
    {
      what: 'a private address',
      url: 'http://10.0.0.1/',
      reason: 'address: 10.0.0.1 is a private',
    },
    { what: 'loopback in disguise', url: 'http://2130706434/', reason: 'address: 127.0.0.2 is' },
    {
      what: 'IPv4 within IPv6',
      url: 'http://[::ffff:10.0.0.1]/',
      reason: 'address: ::ffff:a00:1 is a private',
    },
    {
      what: 'a metadata service',
      url: 'http://169.254.169.254/latest/',
      reason: 'address: 169.254.169.254 is a cloud metadata service',
    },
    { what: 'a port of no web server', url: 'http://127.0.0.1:22/', reason: 'port: port 22' },
  ])('a URL that leads to $what is excluded, without a request', async (law, { db }) => {
    const hostKey = new URL(law.url).hostname;
    await crawlOf(db, hostKey, law.url);

    const result = await visitHost(await depsOn(db), hostKey, { pages: 3, ms: 60_000 });

    expect(result).toMatchObject({ requests: 0, next: { kind: 'empty' } });
    const [url] = await urlLines(db);
    expect(url?.state).toBe('excluded');
    expect(url?.reason).toContain(law.reason);
    expect(await countOf(db, 'robots where tries > 0')).toBe(0);
  });

  test('a public name with a private address is one of those [SEC04]', async ({ db }) => {
    const inward = await quietHost('127.0.0.2');
    const server = await nameServer((question) =>
      question === 'A in.example' ? { kind: 'records', addresses: ['127.0.0.2'] } : undefined,
    );
    await crawlOf(db, 'in.example', `http://in.example:${inward.port}/`);

    await visitHost(await depsBy(db, server.address), 'in.example', { pages: 3, ms: 60_000 });

    expect(await urlLines(db)).toMatchObject([{ state: 'excluded' }]);
    expect(inward.connections()).toBe(0);
  });

  test('a name that changes its mind is connected to where it was judged [SEC05]', async ({
    db,
  }) => {
    const site = await quietHost('127.0.0.1');
    const server = await nameServer((question, askedBefore) =>
      question.startsWith('A ')
        ? { kind: 'records', addresses: [askedBefore === 0 ? '127.0.0.1' : '127.0.0.2'] }
        : undefined,
    );
    await crawlOf(db, 'rebind.example', `http://rebind.example:${site.port}/`);

    await visitHost(await depsBy(db, server.address), 'rebind.example', { pages: 3, ms: 60_000 });

    expect(site.requests).toHaveLength(2);
    expect(server.questions.filter((question) => question.startsWith('A '))).toHaveLength(1);
  });

  test.for([
    { law: 'a redirect of a page [SEC03]', path: '/', state: 'done' },
    { law: 'a redirect of a robots.txt [SEC06]', path: '/robots.txt', state: 'assigned' },
  ])('$law reaches nobody', async ({ path, state }, { db }) => {
    const inward = await quietHost('127.0.0.2');
    const moved = `HTTP/1.1 302 Found\r\nLocation: ${inward.url}x\r\nContent-Length: 0\r\n\r\n`;
    const site = await rawHost((socket, head) => {
      socket.end(head.split(' ')[1] === path ? moved : NOT_FOUND);
    });
    await crawlOf(db, '127.0.0.1', site.url);
    const deps = await depsOn(db);

    await visitHost(deps, '127.0.0.1', { pages: 5, ms: 60_000 });
    await takeIn(db);
    await visitHost(deps, '127.0.0.2', { pages: 5, ms: 60_000 });

    expect(inward.connections()).toBe(0);
    const lines = await urlLines(db);
    expect(lines.find(({ url }) => url === site.url)?.state).toBe(state);
    expect(lines.filter(({ url }) => url !== site.url).map((line) => line.state)).toEqual(
      path === '/' ? ['excluded'] : [],
    );
    // A refused redirect is no file that allows everything.
    const access = path === '/' ? 'allowAll' : 'unreachable';
    expect(await countOf(db, `robots where access = '${access}'`)).toBe(1);
  });

  test('a sitemap that a robots.txt names there reaches nobody', async ({ db }) => {
    const inward = await quietHost('127.0.0.2');
    const site = await rawHost((socket, head) => {
      const robots = answerOf(`Sitemap: ${inward.url}_cat\n`, ['Content-Type: text/plain']);
      socket.end(head.startsWith('GET /robots.txt') ? robots : NOT_FOUND);
    });
    await crawlOf(db, '127.0.0.1', site.url);
    const deps = await depsOn(db);

    await visitHost(deps, '127.0.0.1', { pages: 5, ms: 60_000 });
    await takeIn(db);
    await visitHost(deps, '127.0.0.2', { pages: 5, ms: 60_000 });

    expect(inward.connections()).toBe(0);
    expect((await urlLines(db)).map(({ state }) => state).toSorted()).toEqual(['done', 'excluded']);
  });
});

async function crawlOf(db: Db, hostKey: string, url: string): Promise<void> {
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...ONE_ADDRESS });
  const hostId = await ensureHost(db, hostKey);
  await givenUrl(db, { crawlId, hostId }, url);
}

function quietHost(address: string): Promise<RawHost> {
  return rawHost(
    (socket) => {
      socket.end(NOT_FOUND);
    },
    { address },
  );
}

async function depsBy(db: Db, server: string): Promise<ActivityDeps> {
  const resolver = createResolver({ servers: [server] });
  return { ...(await depsOn(db)), resolverFor: () => resolver };
}

/** Puts what the outbox holds where the one writer and a pull would put it. */
async function takeIn(db: Db): Promise<void> {
  const { rows } = await db.query<{ url: string; crawlId: number }>(
    `select l ->> 'url' as url, crawl_id as "crawlId" from outbox, jsonb_array_elements(links) l`,
  );
  for (const { url, crawlId } of rows) {
    const hostId = await ensureHost(db, new URL(url).hostname);
    await givenUrl(db, { crawlId, hostId }, url);
  }
}
