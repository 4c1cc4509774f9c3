import type { CrawlState, EndReason } from '../domain/crawl-state.ts';
import type { Db } from './pool.ts';

/** A crawl with its counts, as lists of crawls have it. */
export interface CrawlSize {
  readonly name: string;
  readonly state: CrawlState;
  readonly endReason: EndReason | null;
  readonly startedAt: Date;
  readonly runStartedAt: Date;
  readonly endedAt: Date | null;
  /** Since when it is being removed. */
  readonly removingSince: Date | null;
  readonly pages: number;
  /** URLs that its frontier knows. */
  readonly known: number;
  readonly bytes: number;
}

// Indexes: shard_pkey, outcome_count_pkey. The one writer keeps the counts, so no row of the frontier is read.
const SIZES = `
  select name,
         state,
         end_reason as "endReason",
         started_at as "startedAt",
         run_started_at as "runStartedAt",
         ended_at as "endedAt",
         removing_since as "removingSince",
         pages_settled as "pages",
         (select coalesce(sum(known), 0)::bigint from shard s where s.crawl_id = c.crawl_id) as "known",
         (select coalesce(sum(bytes), 0)::bigint from outcome_count o where o.crawl_id = c.crawl_id) as "bytes"
    from crawl c
   order by name`;

/** Every crawl with its counts, by name. */
export async function crawlSizes(db: Db): Promise<readonly CrawlSize[]> {
  const { rows } = await db.query<CrawlSize>({ text: SIZES });
  return rows;
}
