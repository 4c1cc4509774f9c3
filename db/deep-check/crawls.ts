import type { Tx } from '../pool.ts';

/** What is no fault of a crawl's, and good to know. */
export interface CrawlFact {
  readonly crawl: string;
  /** It is being removed, and that was broken off or goes on: what is left of it isn't compared. */
  readonly isHalfRemoved: boolean;
  /** Links that wait in the outbox of a crawl that doesn't run: found right before its end, or seeds handed over since. */
  readonly waitingLinks: number;
}

// Index: outbox_next. One scan of outbox, which is short but for many seeds.
const FACTS = `
  select c.name as "crawl",
         c.removing_since is not null as "isHalfRemoved",
         case when c.state in ('stopped', 'finished') and c.removing_since is null
              then (select coalesce(sum(jsonb_array_length(links)), 0)
                      from outbox o
                     where o.crawl_id = c.crawl_id)
              else 0 end::bigint as "waitingLinks"
    from crawl c
   order by c.name`;

/** One fact a crawl, by name. */
export async function readCrawlFacts(tx: Tx): Promise<readonly CrawlFact[]> {
  const { rows } = await tx.query<CrawlFact>(FACTS);
  return rows;
}
