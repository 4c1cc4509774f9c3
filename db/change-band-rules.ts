import type { BandEvidence } from '../domain/band.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { asRequestUrl } from '../domain/request-url.ts';
import { beginChore } from './chores.ts';
import { inTransaction, type Db } from './pool.ts';

/** What may change of the rules that give URLs their bands; of the bands themselves only that there are more. */
export type BandRulesChange = Partial<
  Pick<CrawlSettings, 'priority' | 'prioritizer' | 'bands' | 'weights'>
>;

// Index: crawl_pkey. Read and written in one statement, so that links know whether they were judged before or after.
const CHANGE = `
  update crawl
     set settings = settings || $2::jsonb
                 || jsonb_build_object('rebands', coalesce((settings ->> 'rebands')::int, 0) + 1)
   where crawl_id = $1`;

// Index: prioritizer_fault_pkey.
const FORGET_FAULTS = `
  delete from prioritizer_fault
   where crawl_id = $1`;

/**
 * Changes the rules that give a crawl's URLs their bands: links go by them from now on, links that wait to be admitted
 * are judged anew, and what is queued is walked through by a chore.
 */
export async function changeBandRules(
  db: Db,
  crawlId: number,
  change: BandRulesChange,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    // In the order in which an admit locks them.
    await tx.query({ name: 'forget_faults', text: FORGET_FAULTS, values: [crawlId] });
    const values = [crawlId, JSON.stringify(change)];
    await tx.query({ name: 'change_band_rules', text: CHANGE, values });
    await beginChore(tx, crawlId, 'reband');
  });
}

// Indexes: ready_pkey, url_queued, source_pkey. The first few of a few hosts.
const SAMPLES = `
  select u.request_url as "url",
         u.depth,
         u.sitemap_priority as "sitemapPriority",
         (select s.url from source s where s.source_id = u.source_id) as "foundOn"
    from (select distinct host_id from (select host_id from ready where crawl_id = $1 limit 50) r) h
   cross join lateral (
     select *
       from url q
      where q.host_id = h.host_id
        and q.crawl_id = $1
        and q.state = 'queued'
      order by q.band, q.due_at
      limit 5
   ) u`;

/** Some of a crawl's queued URLs, for rules to be tried on. */
export async function queuedSamples(
  db: Db,
  crawlId: number,
): Promise<readonly Omit<BandEvidence, 'bands'>[]> {
  const { rows } = await db.query<{
    url: string;
    depth: number;
    sitemapPriority: number | null;
    foundOn: string | null;
  }>({ name: 'queued_samples', text: SAMPLES, values: [crawlId] });
  return rows.map(({ url, depth, sitemapPriority, foundOn }) => ({
    url: asRequestUrl(url),
    depth,
    sitemapPriority: sitemapPriority ?? undefined,
    foundOn: foundOn ?? undefined,
  }));
}
