import { asRequestUrl } from '../domain/request-url.ts';
import { urlKeyOf, type UrlKeyRules } from '../domain/url-key.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';

/** Records fetched from the cursor at a time; our choice: more made a million rows no faster (`bench/export.ts`). */
const BATCH_ROWS = 1_000;

/** One fetch, as it is exported. The names are those of the files, and stay. */
export interface ExportedFetch {
  readonly url: string;
  /** The URL key by the crawl's rules; `null` for robots.txt, which is no URL of the frontier. */
  readonly key: string | null;
  readonly kind: 'page' | 'robots';
  readonly status: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  /** ISO 8601 in UTC, to the millisecond: when the request was sent. */
  readonly fetchedAt: string;
  readonly fetchMs: number;
  readonly digest: string | null;
  readonly depth: number | null;
  readonly foundOn: string | null;
  readonly contentType: string | null;
  readonly bodyBytes: number;
  readonly truncated: boolean;
  readonly links: number;
  readonly title: string | null;
  readonly noindex: boolean;
  /** Where a redirect leads. */
  readonly location: string | null;
  readonly warcFile: string | null;
  readonly warcOffset: number | null;
  readonly warcLength: number | null;
}

/** Which fetches of a crawl are exported. */
export interface ExportOrder {
  readonly crawlId: number;
  readonly rules: UrlKeyRules;
  readonly robots: boolean;
  /** Only those sent at this instant or later; `undefined`: all. */
  readonly since: Date | undefined;
}

// A join that hashes or sorts would hold, or spill, the whole crawl before its first row; the planner would take one
// for want of statistics. `jit` costs more than it saves here.
const STEADY_PLAN = `
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local enable_sort = off;
  set local enable_seqscan = off;
  set local jit = off`;

// Indexes: fetch_record_pkey in order, then one look into url_pkey of the host's own partition,
// and into source_pkey, for each record.
const DECLARE = `
  declare fetches no scroll cursor for
  select f.request_url as "url",
         f.key_hash is null as "isRobots",
         f.status,
         f.outcome,
         f.reason,
         f.fetched_at as "fetchedAt",
         f.fetch_ms as "fetchMs",
         f.digest,
         u.depth,
         (select s.url from source s where s.source_id = u.source_id) as "foundOn",
         f.content_type as "contentType",
         f.body_bytes as "bodyBytes",
         f.truncated,
         f.links,
         f.title,
         f.noindex,
         f.location,
         f.warc_file as "warcFile",
         f.warc_offset as "warcOffset",
         f.warc_length as "warcLength"
    from fetch_record f
    left join url u on u.host_id = f.host_id
                   and u.crawl_id = f.crawl_id
                   and u.key_hash = f.key_hash
   where f.crawl_id = $1
     and ($2 or f.key_hash is not null)
     and ($3::timestamptz is null or f.fetched_at >= $3)
   order by f.fetch_id`;

const FETCH = `fetch ${String(BATCH_ROWS)} from fetches`;

interface RecordRow extends Omit<ExportedFetch, 'key' | 'kind' | 'fetchedAt'> {
  readonly isRobots: boolean;
  readonly fetchedAt: Date;
}

/**
 * Hands over a crawl's fetches in the order in which they were written, a batch at a time, from one snapshot: what
 * ends meanwhile is left out. The next batch is read once `take` is done with the last one, so memory stays constant.
 *
 * @param take answers `false` to have no more.
 */
export async function exportFetches(
  db: Db,
  { crawlId, rules, robots, since }: ExportOrder,
  take: (batch: readonly ExportedFetch[]) => Promise<boolean>,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    await tx.query(STEADY_PLAN);
    await tx.query(DECLARE, [crawlId, robots, since ?? null]);
    for (;;) {
      const batch = await nextBatch(tx, rules);
      if (batch.length === 0 || !(await take(batch))) return;
    }
  });
}

async function nextBatch(tx: Tx, rules: UrlKeyRules): Promise<readonly ExportedFetch[]> {
  const { rows } = await tx.query<RecordRow>(FETCH);
  return rows.map((row) => exported(row, rules));
}

function exported(
  { url, isRobots, fetchedAt, ...rest }: RecordRow,
  rules: UrlKeyRules,
): ExportedFetch {
  return {
    url,
    key: isRobots ? null : urlKeyOf(asRequestUrl(url), rules),
    kind: isRobots ? 'robots' : 'page',
    ...rest,
    fetchedAt: fetchedAt.toISOString(),
  };
}
