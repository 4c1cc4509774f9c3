import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { deepCheck } from '../../db/deep-check/deep-check.ts';
import { admit } from '../../db/admit.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { givenUrl, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { openWarcStore } from '../../store/warc-store.ts';
import { aFolder, recordsOf, type SeenRecord } from '../store/warc-folder.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';
const PAGE = '<title>Old</title><a href="/x">x</a>';

interface Fetch {
  readonly status: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly digest: string | null;
  readonly recordedAt: number | null;
}

interface Scene {
  readonly db: Db;
  readonly deps: ActivityDeps;
  readonly crawlId: number;
  readonly hostId: number;
  readonly origin: string;
  /** Fetches the page once more with this answer, and gives the request's conditions. */
  readonly ask: (answer: string | Buffer) => Promise<Record<string, string>>;
  readonly records: () => Promise<readonly SeenRecord[]>;
}

/** A host whose page `/p` may be asked for again and again. */
async function aPage(db: Db, foundOn?: (origin: string) => string): Promise<Scene> {
  let answer: string | Buffer = '';
  const site = await rawHost((socket, head) => {
    socket.end(head.startsWith('GET /robots.txt') ? notFound() : answer);
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0 });
  const hostId = await ensureHost(db, '127.0.0.1');
  const from = foundOn === undefined ? {} : { foundOn: foundOn(origin) };
  await givenUrl(db, { crawlId, hostId }, `${origin}/p`, from);
  await db.query('update shard set known = 1');
  const dir = await aFolder();
  const warc = await openWarcStore({ dir, slot: 'w2' });
  const deps = { ...(await depsOn(db)), warc };
  // Its robots.txt first.
  await visitHost(deps, '127.0.0.1');
  return {
    db,
    deps,
    crawlId,
    hostId,
    origin,
    ask: async (next) => {
      answer = next;
      await askAgain(db, deps);
      await visitHost(deps, '127.0.0.1');
      return conditionsIn(site.requests.at(-1) ?? '');
    },
    records: async () => {
      await warc.close();
      const { rows } = await db.query<{ file: string }>(
        'select warc_file as file from fetch_record where warc_file is not null limit 1',
      );
      return recordsOf(join(dir, rows[0]?.file ?? ''));
    },
  };
}

async function askAgain(db: Db, deps: ActivityDeps): Promise<void> {
  await db.query(`update url set state = 'assigned', due_at = '-infinity'`);
  await db.query(`update host set next_allowed_at = '-infinity', blocked_until = null`);
  deps.notBefore.clear();
}

function conditionsIn(head: string): Record<string, string> {
  const fields = [...head.matchAll(/^(if-[a-z-]+): (.*)\r$/gimu)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

async function fetches(db: Db): Promise<readonly Fetch[]> {
  const { rows } = await db.query<Fetch>(
    `select status, outcome, reason, digest from fetch_record where key_hash is not null order by fetch_id`,
  );
  return rows;
}

const notFound = (): string => 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
const notModified = (...headers: readonly string[]): string =>
  ['HTTP/1.1 304 Not Modified', ...headers, '', ''].join('\r\n');
const page = (...headers: readonly string[]): Buffer =>
  answerOf(PAGE, ['Content-Type: text/html', ...headers]);

describe('a page that is asked for again', () => {
  test('is asked for by its validators as they came, and a 304 leaves it what it was [REC01] [REC05]', async ({
    db,
  }) => {
    const scene = await aPage(db);
    expect(await scene.ask(page('ETag: "v1"', `Last-Modified: ${DATE}`))).toEqual({});
    expect(await scene.ask(notModified('ETag: "v1"'))).toEqual({
      'if-none-match': '"v1"',
      'if-modified-since': DATE,
    });

    const [first, second] = await fetches(db);
    expect(first).toMatchObject({ status: 200, outcome: 'fetched' });
    expect(second).toEqual({ ...first, status: 304, outcome: 'unchanged' });
    expect(await urlLines(db)).toMatchObject([{ state: 'done', reason: null }]);
    await admit(db, { crawlId: scene.crawlId, shard: 0 });
    // The link that the page has is known still, and both fetches are pages.
    expect((await urlLines(db)).map(({ url }) => url)).toContain(`${scene.origin}/x`);
    const { rows } = await db.query('select pages_settled::int as pages from crawl');
    expect(rows).toEqual([{ pages: 2 }]);
    expect((await deepCheck(db)).checks.flatMap(({ examples }) => examples)).toEqual([]);
  });

  test('has a revisit record, which leads to the one with its body', async ({ db }) => {
    const scene = await aPage(db);
    await scene.ask(page('ETag: "v1"'));
    await scene.ask(notModified('ETag: "v1"'));
    await scene.ask(notModified('ETag: "v1"'));

    const records = await scene.records();
    expect(records.map(({ type }) => type)).toEqual(
      words('warcinfo response request revisit request revisit request'),
    );
    const [, response] = records;
    for (const revisit of records.filter(({ type }) => type === 'revisit')) {
      expect(revisit.block.toString()).toBe(notModified('ETag: "v1"'));
      expect(revisit.header('WARC-Profile')).toBe(
        'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
      );
      expect(revisit.header('WARC-Refers-To')).toBe(response?.header('WARC-Record-ID'));
      expect(revisit.header('WARC-Refers-To-Date')).toBe(response?.header('WARC-Date'));
      expect(revisit.header('WARC-Refers-To-Target-URI')).toBe(`${scene.origin}/p`);
      expect(revisit.header('WARC-Payload-Digest')).toBe(response?.header('WARC-Payload-Digest'));
    }
  });

  test('is asked about as the last 304 had it', async ({ db }) => {
    const scene = await aPage(db);
    await scene.ask(page('ETag: W/"v1"', `Last-Modified: ${DATE}`));
    await scene.ask(notModified('ETag: "v1"'));
    expect(await scene.ask(page('ETag: "v2"'))).toEqual({
      'if-none-match': '"v1"',
      'if-modified-since': DATE,
    });
    expect(await scene.ask(notModified())).toEqual({ 'if-none-match': '"v2"' });
  });

  test('is asked for anew after a 304 that means another version', async ({ db }) => {
    const scene = await aPage(db);
    await scene.ask(page('ETag: "v1"', `Last-Modified: ${DATE}`));
    await scene.ask(notModified('ETag: "v2"'));
    expect((await fetches(db)).at(-1)).toMatchObject({
      outcome: 'failed',
      reason: 'malformedAnswer: a 304 for "v2", not for "v1"',
    });
    expect(await scene.ask(page('ETag: "v2"'))).toEqual({});
    expect((await fetches(db)).at(-1)).toMatchObject({ status: 200, outcome: 'fetched' });
  });

  test.for([
    { law: 'gave none', first: page() },
    { law: 'was another status', first: notFound().replace('\r\n', '\r\nETag: "v1"\r\n') },
    { law: 'was cut off', first: answerOf('x'.repeat(12_000_000), ['ETag: "v1"']) },
    { law: 'gave a tag that is no tag', first: page('ETag: é', 'Last-Modified: soon') },
  ])('is asked for without validators where the last answer $law', async ({ first }, { db }) => {
    const scene = await aPage(db);
    await scene.ask(page('ETag: "v0"'));
    await scene.ask(first);
    expect(await scene.ask(notModified())).toEqual({});
    // Nobody asked, so it is an answer like others.
    expect((await fetches(db)).at(-1)).toMatchObject({ status: 304, outcome: 'fetched' });
  });

  test('is asked for without the validators of another URL', async ({ db }) => {
    const scene = await aPage(db);
    await scene.ask(page('ETag: "v1"'));
    await db.query(`update url set request_url = request_url || '?utm_source=a'`);
    expect(await scene.ask(page())).toEqual({});
  });

  test('is no page of the budget where it is a sitemap', async ({ db }) => {
    const sitemap = '<?xml version="1.0"?><urlset><url><loc>/y</loc></url></urlset>';
    const scene = await aPage(db, (origin) => `${origin}/robots.txt`);
    await scene.ask(answerOf(sitemap, ['Content-Type: application/xml', 'ETag: "v1"']));
    await scene.ask(notModified());
    expect(await fetches(db)).toMatchObject([
      { outcome: 'fetched', reason: 'sitemap' },
      { outcome: 'unchanged', reason: 'sitemap' },
    ]);
    await admit(db, { crawlId: scene.crawlId, shard: 0 });
    const { rows } = await db.query('select pages_settled::int as pages from crawl');
    expect(rows).toEqual([{ pages: 0 }]);
  });
});

function words(text: string): readonly string[] {
  return text.split(' ');
}
