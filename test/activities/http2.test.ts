import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { openWarcStore } from '../../store/warc-store.ts';
import { givenUrl, runningCrawl, urlLines } from '../db/a-frontier.ts';
import { aFolder, recordsOf, type SeenRecord } from '../store/warc-folder.ts';
import { test } from '../support/database.ts';
import { bilingualHost } from '../web/http2-hosts.ts';
import { depsOn, visitHost } from './a-visit.ts';

describe('a host that offers HTTP/2', () => {
  test('is asked by it for its robots.txt and its pages, which are kept as such', async ({
    db,
  }) => {
    const { asked, records } = await visited(db, {});

    expect(asked).toEqual(['2.0 /robots.txt', '2.0 /']);
    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
    const [, response, request] = records;
    expect(response?.header('WARC-Protocol')).toBe('h2');
    expect(response?.block.toString()).toMatch(/^HTTP\/1\.1 200 \r\n[^]*\r\n\r\nby 2\.0$/);
    expect(request?.header('WARC-Protocol')).toBe('h2');
    expect(request?.block.toString()).toMatch(/^GET \/ HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
    expect(request?.block.toString()).not.toContain('connection');
  });

  test('is asked by HTTP/1.1 where the crawl says so', async ({ db }) => {
    const { asked, records } = await visited(db, { settings: { http2: false } });

    expect(asked).toEqual(['1.1 /robots.txt', '1.1 /']);
    expect(records[1]?.header('WARC-Protocol')).toBeNull();
  });

  test('and insists on HTTP/1.1 is asked by that at its next turn, and nothing is held against it', async ({
    db,
  }) => {
    const { asked } = await visited(db, { insistsOn: 'HTTP/1.1' });

    expect(asked).toEqual(['2.0 /robots.txt', '1.1 /robots.txt', '1.1 /']);
    expect(await urlLines(db)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await fetches(db)).toEqual([
      'robots failed http1Required: the host reset the stream: HTTP_1_1_REQUIRED',
      'robots fetched ',
      'fetched ',
    ]);
  });

  test('but insists on HTTP/1.1 for a page has it put off, and its ladder stands still', async ({
    db,
  }) => {
    const { asked } = await visited(db, { insistsOn: 'HTTP/1.1', isRobotsKnown: true });

    expect(asked).toEqual(['2.0 /', '1.1 /']);
    expect(await urlLines(db)).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await fetches(db)).toEqual([
      'put off http1Required: the host reset the stream: HTTP_1_1_REQUIRED',
      'fetched ',
    ]);
  });
});

/** One visit of a host that knows both, up to three requests. */
async function visited(
  db: Db,
  {
    settings = {},
    insistsOn,
    isRobotsKnown = false,
  }: {
    readonly settings?: Partial<CrawlSettings>;
    readonly insistsOn?: 'HTTP/1.1';
    readonly isRobotsKnown?: boolean;
  },
): Promise<{ readonly asked: readonly string[]; readonly records: readonly SeenRecord[] }> {
  const asked: string[] = [];
  const host = await bilingualHost(insistsOn === undefined ? {} : { insistsOn }, asked);
  const crawlId = await runningCrawl(db, {
    minGapMs: 1,
    gapFactor: 0,
    tls: 'lenient',
    ...settings,
  });
  const hostId = await ensureHost(db, '127.0.0.1');
  if (isRobotsKnown) {
    await db.query(
      `insert into robots (host_id, origin, access, version, status, fetched_at, expires_at)
       values ($1, $2, 'allowAll', 1, 404, now(), now() + interval '1 day')`,
      [hostId, new URL(host.url).origin],
    );
  }
  await givenUrl(db, { crawlId, hostId }, host.url);
  const dir = await aFolder();
  const warc = await openWarcStore({ dir, slot: 'w2' });
  await visitHost({ ...(await depsOn(db)), warc }, '127.0.0.1', { pages: 3, ms: 60_000 });
  await warc.close();
  const { rows } = await db.query<{ file: string | null }>(
    'select warc_file as file from fetch_record where warc_file is not null limit 1',
  );
  const [file] = rows.map((row) => row.file);
  return { asked, records: file == null ? [] : await recordsOf(join(dir, file)) };
}

/** Each fetch in a line. */
async function fetches(db: Db): Promise<readonly string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select outcome || ' ' || coalesce(reason, '') as line from fetch_record order by fetched_at`,
  );
  return rows.map(({ line }) => line);
}
