import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveCrawl } from '../db/crawls.ts';
import { countHosts, HOST_SORTS, listHosts, type HostsOrder } from '../db/list-hosts.ts';
import { migrate } from '../db/migrate.ts';
import { connectDatabase, type Db } from '../db/pool.ts';
import { DEFAULT_SETTINGS } from '../domain/crawl-settings.ts';
import { HOST_STATES } from '../domain/crawl-state.ts';
import { startPostgres } from '../workers/embedded-postgres.ts';

/** How long `hosts` takes in each order: a frontier of a million hosts, of which a thousand are under way. */
const HOSTS = 1_000_000;
const URLS_A_HOST = 3;
const LIMIT = 50;

const dataDir = mkdtempSync(join(tmpdir(), 'decorum-bench-'));
const postgres = await startPostgres({ dataDir, logFile: join(dataDir, 'log'), throwaway: true });
const db = connectDatabase(postgres.databaseUrl, { max: 1 });
try {
  await migrate(postgres.databaseUrl);
  const crawlId = await fill(db);
  await measure('all', { crawlId: null, state: null });
  await measure('one crawl', { crawlId, state: null });
  for (const state of HOST_STATES) await measure(state, { crawlId: null, state });
} finally {
  await db.end();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(what: string, wanted: Pick<HostsOrder, 'crawlId' | 'state'>): Promise<void> {
  const { answer: there, ms } = await timed(() => countHosts(db, wanted));
  console.log(`${what.padEnd(10)} ${there.toLocaleString('en-US')} hosts, counted in ${ms} ms`);
  for (const sort of HOST_SORTS) {
    const { answer, ms } = await timed(() => listHosts(db, { ...wanted, sort, limit: LIMIT }));
    if (answer.length !== Math.min(there, LIMIT)) throw new Error(`${answer.length} hosts listed`);
    console.log(`${what.padEnd(10)} --sort ${sort.padEnd(6)} ${String(ms).padStart(6)} ms`);
  }
}

/** The second of two calls: the first may read from disk. */
async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly ms: number }> {
  await work();
  const startedMs = performance.now();
  const answer = await work();
  return { answer, ms: Math.round(performance.now() - startedMs) };
}

async function fill(db: Db): Promise<number> {
  const settings = { ...DEFAULT_SETTINGS, userAgent: 'Bench/1.0 (+https://example.com/bot)' };
  const { crawlId } = await saveCrawl(db, 'bench', settings);
  await db.query(
    `insert into host (host_key, state, gap_ms, fetch_ms, next_allowed_at, hold_since, hold_who, hold_why)
     select 'h' || n || '.test',
            case when n % 1000 = 0 then 'live' when n % 1000 = 1 then 'resting' when n % 10000 = 2 then 'robots' else 'idle' end,
            1000 + n * 61 % 60000, 100, now() + n % 60 * interval '1 s',
            case when n % 20000 = 3 then now() end,
            case when n % 20000 = 3 then 'bench' end,
            case when n % 20000 = 3 then 'bench' end
       from generate_series(1, $1::int) n`,
    [HOSTS],
  );
  await db.query(
    `insert into host_crawl (host_id, crawl_id, pages) select host_id, $1, host_id * 7919 % 100 from host`,
    [crawlId],
  );
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
     select h.host_id, $1, md5(h.host_key || n)::uuid, 'http://' || h.host_key || '/' || n,
            (case when n = 1 then 'done' when n = 2 and h.state = 'live' then 'assigned' else 'queued' end)::url_state,
            1, 1, now()
       from host h, generate_series(1, $2 + h.host_id % 2) n`,
    [crawlId, URLS_A_HOST],
  );
  await db.query(
    `insert into fetch_record (crawl_id, host_id, key_hash, request_url, fetched_at, fetch_ms, status, outcome)
     select $1, host_id, md5(host_key || 1)::uuid, 'http://' || host_key || '/1', now(), 100, 200, 'fetched' from host`,
    [crawlId],
  );
  await db.query('vacuum analyze');
  return crawlId;
}
