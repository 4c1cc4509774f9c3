import { listCrawls } from '../../db/crawls.ts';
import type { CrawlRow } from '../../db/crawls.ts';
import { connectDatabase } from '../../db/pool.ts';
import type { Db } from '../../db/pool.ts';
import { hint } from '../hints.ts';
import { closing } from '../session.ts';

/** The crawls that are under way: running, or finishing their pages in flight. */
export async function runningCrawls(db: Db): Promise<readonly CrawlRow[]> {
  return (await listCrawls(db)).filter(({ state }) => state === 'running' || state === 'stopping');
}

/** The same by a connection of its own; none where Postgres does not answer. */
export async function runningCrawlsIn(
  databaseUrl: string | undefined,
): Promise<readonly CrawlRow[]> {
  if (databaseUrl === undefined) return [];
  const db = connectDatabase(databaseUrl, { max: 1, applicationName: 'decorum cli' });
  return closing({ close: () => db.end() }, () => runningCrawls(db)).catch(() => []);
}

/** What becomes of crawls whose servers end. */
export function leftRunning(crawls: readonly CrawlRow[], data: string): readonly string[] {
  return crawls.map(
    ({ name }) =>
      `${name} is left as it is; it goes on with: ${hint(['resume', name], data)} (or ${hint(['up'], data)})`,
  );
}
