import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { outlookOf } from '../../db/crawl-end.ts';
import { explainHost } from '../../db/explain.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { readProgress } from '../../db/progress.ts';
import { shortagesNow } from '../../db/shortages.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { createCrawlWriter } from '../../store/crawl-writer.ts';
import { endOfWholeMembers } from '../../store/gzip-members.ts';
import { appendTo, type DiskFile } from '../../store/warc-file.ts';
import { exchangeRecords } from '../../store/warc-records.ts';
import { givenUrl, runningCrawl, urlLines, type GivenUrl } from '../db/a-frontier.ts';
import { aFolder } from '../store/warc-folder.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost, type RawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

const HOST = '127.0.0.1' as HostKey;
const UNREACHABLE_BYTES = 1e15;
const LIMIT = { timeout: 30_000 };

describe('a crawl that wants more room than the disk has', () => {
  test('sends nothing, changes nothing, and says so wherever a person looks', async ({ db }) => {
    const { site, crawlId } = await crawled(db, { minFreeBytes: UNREACHABLE_BYTES });

    const result = await visitHost(await depsOn(db), HOST, { pages: 5, ms: 100 });

    expect(result).toMatchObject({ requests: 0, next: { kind: 'again' } });
    expect((result.next as { waitMs: number }).waitMs).toBeGreaterThan(1_000);
    expect(site.requests).toEqual([]);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', claims: 0, failures: 0 }]);

    const { shortages } = await readProgress(db, crawlId);
    expect(shortages).toMatchObject([{ wantedBytes: UNREACHABLE_BYTES, refusal: null }]);
    expect(shortages[0]?.freeBytes).toBeGreaterThan(0);
    const why = await explainHost(db, HOST);
    expect(why?.reason).toMatch(/^Held: no room on .+, 1000 TB wanted/u);
  });

  test('goes on within the same visit once there is room, and says no more', async ({ db }) => {
    const { crawlId } = await crawled(db, { minFreeBytes: UNREACHABLE_BYTES });
    const visiting = visitHost(await depsOn(db), HOST, { pages: 2, ms: 60_000 });
    await expect.poll(() => shortagesNow(db), LIMIT).toHaveLength(1);

    await wanting(db, 1);
    await visiting;

    expect(await urlLines(db)).toMatchObject([{ state: 'done' }]);
    expect((await readProgress(db, crawlId)).shortages).toEqual([]);
  });

  test('is not held by a crawl that has ended', async ({ db }) => {
    await crawled(db, { minFreeBytes: UNREACHABLE_BYTES });
    await db.query(`update crawl set state = 'stopped', ended_at = now()`);

    const { next } = await visitHost(await depsOn(db), HOST, { pages: 2, ms: 60_000 });

    expect(next).toEqual({ kind: 'empty' });
    expect(await shortagesNow(db)).toEqual([]);
  });

  test('counts no shortage whose worker was killed, and dates the next one anew', async ({
    db,
  }) => {
    const { crawlId } = await crawled(db, { minFreeBytes: UNREACHABLE_BYTES });
    const deps = await depsOn(db);
    await visitHost(deps, HOST, { pages: 1, ms: 100 });
    await db.query(`update shortage set since = 'epoch', seen_at = now() - interval '31 seconds'`);
    expect((await readProgress(db, crawlId)).shortages).toEqual([]);

    await expect
      .poll(async () => {
        await visitHost(deps, HOST, { pages: 1, ms: 100 });
        return shortagesNow(db);
      }, LIMIT)
      .toHaveLength(1);
    const [shortage] = await shortagesNow(db);
    expect(Date.now() - (shortage?.since.getTime() ?? 0)).toBeLessThan(60_000);
  });
});

describe('a disk that fills up under a page', () => {
  test('is announced also where no further visit comes to look', async ({ db }) => {
    await crawled(db, {});
    const disk = await aDiskThatIsFull();
    const deps = { ...(await depsOn(db)), warc: disk.warc };

    const { requests } = await visitHost(deps, HOST, { pages: 2, ms: 60_000 });

    expect(requests).toBe(2);
    await expect
      .poll(() => shortagesNow(db), LIMIT)
      .toMatchObject([{ refusal: expect.stringMatching(/^ENOSPC/u) as string }]);
    await expect.poll(() => shortagesNow(db), LIMIT).toEqual([]);
  });

  test('costs the URL nothing: it is put back, the shortage is announced, all goes on afterwards', async ({
    db,
  }) => {
    // Its third claim: one more without a settle, and it would be given up.
    const given = { claims: 2, failures: 1 };
    const { site, crawlId } = await crawled(db, { waitForRetries: false }, given);
    const disk = await aDiskThatIsFull();
    const deps = { ...(await depsOn(db)), warc: disk.warc };

    const visiting = visitHost(deps, HOST, { pages: 5, ms: 60_000 });
    await expect.poll(() => shortagesNow(db), LIMIT).toHaveLength(1);
    const [shortage] = await shortagesNow(db);
    expect(shortage?.refusal).toMatch(/^ENOSPC/u);
    expect(await urlLines(db)).toMatchObject([{ state: 'assigned', claims: 0, failures: 1 }]);
    expect(await outlookOf(db, crawlId)).toEqual({ end: null, busy: true });

    disk.makeRoom();
    await visiting;

    expect(await urlLines(db)).toMatchObject([{ state: 'done', failures: 1 }]);
    expect(await shortagesNow(db)).toEqual([]);
    expect(site.requests.map((head) => head.split(' ')[1])).toEqual(['/robots.txt', '/', '/']);
    const { rows } = await db.query<{ end: number }>(
      'select max(warc_offset) as end from fetch_record where warc_file is not null',
    );
    expect(rows).toEqual([{ end: 0 }]);
    expect(await disk.wholeBytes()).toBe(await disk.sizeBytes());
  });
});

async function crawled(
  db: Db,
  settings: Partial<CrawlSettings>,
  given: GivenUrl = {},
): Promise<{ readonly site: RawHost; readonly crawlId: number }> {
  const site = await rawHost((socket, head) => {
    const isPage = head.startsWith('GET / ');
    socket.end(
      isPage
        ? answerOf('<p>Hello</p>'.repeat(1_000), ['Content-Type: text/html'])
        : 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
    );
  });
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...settings });
  const hostId = await ensureHost(db, HOST);
  await givenUrl(db, { crawlId, hostId }, site.url, given);
  return { site, crawlId };
}

async function wanting(db: Db, minFreeBytes: number): Promise<void> {
  await db.query(
    `update crawl set settings = settings || jsonb_build_object('minFreeBytes', $1::bigint)`,
    [minFreeBytes],
  );
}

/** A store on a file whose disk takes only the first bytes of a write; the kernel itself refuses the others. */
async function aDiskThatIsFull(): Promise<{
  readonly warc: ActivityDeps['warc'];
  readonly makeRoom: () => void;
  readonly sizeBytes: () => Promise<number>;
  readonly wholeBytes: () => Promise<number>;
}> {
  const path = join(await aFolder(), 'file');
  const [room, full] = [await open(path, 'w+'), await open('/dev/full', 'w')];
  onTestFinished(() => full.close());
  let isFull = true;
  const write = (bytes: Uint8Array, offset: number, length: number, position: number) => {
    if (!isFull) return room.write(bytes, offset, length, position);
    return position < 100
      ? room.write(bytes, offset, Math.min(length, 100), position)
      : full.write(bytes, offset, length, null);
  };
  const disk: DiskFile = {
    write: write as DiskFile['write'],
    datasync: () => room.datasync(),
    truncate: (lengthBytes) => room.truncate(lengthBytes),
    close: () => room.close(),
  };
  const file = appendTo('file', disk, () => Promise.resolve());
  const writer = createCrawlWriter(() => Promise.resolve(file), 1_000_000);
  onTestFinished(writer.close);
  return {
    warc: {
      write: async (exchange) => writer.append(await exchangeRecords(exchange)),
      close: writer.close,
    },
    makeRoom: () => {
      isFull = false;
    },
    sizeBytes: async () => (await room.stat()).size,
    wholeBytes: () => endOfWholeMembers(path),
  };
}
