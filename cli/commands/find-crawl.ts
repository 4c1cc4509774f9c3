import { findCrawl, listCrawls } from '../../db/crawls.ts';
import type { CrawlRow } from '../../db/crawls.ts';
import type { Db } from '../../db/pool.ts';
import { UsageError } from '../errors.ts';
import { nearestFirst } from '../near-word.ts';

/**
 * The crawl of this name.
 *
 * @throws UsageError that lists the names there are, the most similar first; or where half of it is removed.
 */
export async function crawlNamed(db: Db, name: string): Promise<CrawlRow> {
  const crawl = await crawlOrHalf(db, name);
  if (crawl.removingSince === null) return crawl;
  throw new UsageError(halfRemoved(name));
}

/** The same, but one that is half removed is given too. */
export async function crawlOrHalf(db: Db, name: string): Promise<CrawlRow> {
  const crawl = await findCrawl(db, name);
  if (crawl !== undefined) return crawl;
  const names = nearestFirst(
    name,
    (await listCrawls(db)).map((other) => other.name),
  ).map((other) => `"${other}"`);
  throw new UsageError(
    names.length === 0
      ? `There is no crawl "${name}", nor any other: start one with "decorum crawl https://example.com/".`
      : `There is no crawl "${name}": there is ${names.join(', ')}.`,
  );
}

/** What a person is told who wants to go on with a crawl whose removal was begun. */
export function halfRemoved(name: string): string {
  return `The crawl "${name}" is half removed: finish that with "decorum crawls remove ${name}".`;
}
