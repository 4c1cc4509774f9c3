import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPORT_FORMATS, exportWriter, type ExportFormat } from '../cli/commands/export-format.ts';
import { saveCrawl } from '../db/crawls.ts';
import { exportFetches } from '../db/export.ts';
import { migrate } from '../db/migrate.ts';
import { connectDatabase, type Db } from '../db/pool.ts';
import { DEFAULT_SETTINGS } from '../domain/crawl-settings.ts';
import { startPostgres } from '../workers/embedded-postgres.ts';

/** How fast fetch records are exported, and in how much memory: ten times the rows must not need more. */
const SIZES = [100_000, 1_000_000];

/** What an export in a process of its own tells of itself. */
interface Told {
  readonly rows: number;
  readonly ms: number;
  readonly peakRssMb: number;
}

const [, , databaseUrl, format] = process.argv;
if (databaseUrl === undefined) await measureAll();
else await exportOnce(databaseUrl, format === 'csv' ? 'csv' : 'jsonl');

async function measureAll(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'decorum-bench-'));
  const postgres = await startPostgres({ dataDir, logFile: join(dataDir, 'log'), throwaway: true });
  const db = connectDatabase(postgres.databaseUrl);
  try {
    await migrate(postgres.databaseUrl);
    for (const size of SIZES) {
      await fill(db, size);
      for (const each of EXPORT_FORMATS) {
        const { rows, ms, peakRssMb } = await inOwnProcess(postgres.databaseUrl, each);
        if (rows !== size) throw new Error(`${String(rows)} of ${String(size)} rows exported`);
        const perSecond = Math.round(rows / (ms / 1_000));
        console.log(
          `${each.padEnd(6)} ${rows.toLocaleString('en-US').padStart(10)} rows  ${perSecond.toLocaleString('en-US').padStart(8)} rows/s  peak ${String(peakRssMb)} MB`,
        );
      }
    }
  } finally {
    await db.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function inOwnProcess(url: string, each: ExportFormat): Promise<Told> {
  const child = fork(process.argv[1] ?? '', [url, each]);
  const [told] = (await once(child, 'message')) as [Told];
  return told;
}

async function exportOnce(url: string, each: ExportFormat): Promise<void> {
  const db = connectDatabase(url, { max: 1 });
  const { textOf } = exportWriter(each);
  const nowhere = createWriteStream('/dev/null');
  const startedMs = performance.now();
  let rows = 0;
  await exportFetches(
    db,
    { crawlId: 1, rules: DEFAULT_SETTINGS, robots: true, since: undefined },
    async (batch) => {
      if (!nowhere.write(textOf(batch))) await once(nowhere, 'drain');
      rows += batch.length;
      return true;
    },
  );
  const ms = performance.now() - startedMs;
  await db.end();
  const peakRssMb = Math.round(process.resourceUsage().maxRSS / 1_000);
  process.send?.({ rows, ms, peakRssMb } satisfies Told);
  process.disconnect();
}

/** Brings the crawl to this many URLs on 2,000 hosts, each fetched once. */
async function fill(db: Db, size: number): Promise<void> {
  const settings = { ...DEFAULT_SETTINGS, userAgent: 'Bench/1.0 (+https://example.com/bot)' };
  const { crawlId } = await saveCrawl(db, 'bench', settings);
  await db.query(
    `insert into host (host_key) select 'h' || n || '.test' from generate_series(1, 2000) n on conflict do nothing`,
  );
  await db.query(
    `insert into source (crawl_id, url)
     select $1, 'http://h1.test/' where not exists (select from source)`,
    [crawlId],
  );
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at, source_id)
     select 1 + n % 2000, $1, md5('http://h' || 1 + n % 2000 || '.test/page/' || n)::uuid,
            'http://h' || 1 + n % 2000 || '.test/page/' || n, 'done', 1, n % 9, now(),
            (select min(source_id) from source)
       from generate_series((select count(*) from url), $2 - 1) n`,
    [crawlId, size],
  );
  await db.query(
    `insert into fetch_record (crawl_id, host_id, key_hash, request_url, fetched_at, fetch_ms, status, outcome,
                               content_type, digest, body_bytes, links, title, warc_file, warc_offset, warc_length)
     select $1, 1 + n % 2000, md5('http://h' || 1 + n % 2000 || '.test/page/' || n)::uuid,
            'http://h' || 1 + n % 2000 || '.test/page/' || n, now(), 42, 200, 'fetched', 'text/html; charset=utf-8',
            'sha1:' || md5(n::text), 12345, 40, 'The title of page ' || n, 'bench-20260801120000-0-00001.warc.gz',
            n * 4000, 4000
       from generate_series((select count(*) from fetch_record), $2 - 1) n`,
    [crawlId, size],
  );
  await db.query('vacuum analyze');
}
