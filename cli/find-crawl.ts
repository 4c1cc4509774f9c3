import { findCrawl, listCrawls } from '../db/crawls.ts';
import type { CrawlRow } from '../db/crawls.ts';
import type { Db } from '../db/pool.ts';
import { UsageError } from './errors.ts';

/**
 * The crawl of this name.
 *
 * @throws UsageError that lists the names there are.
 */
export async function crawlNamed(db: Db, name: string): Promise<CrawlRow> {
  const crawl = await findCrawl(db, name);
  if (crawl !== undefined) return crawl;
  const names = (await listCrawls(db)).map((other) => `"${other.name}"`);
  throw new UsageError(
    names.length === 0
      ? `There is no crawl "${name}", nor any other: start one with "decorum crawl https://example.com/".`
      : `There is no crawl "${name}": there is ${names.join(', ')}.`,
  );
}
