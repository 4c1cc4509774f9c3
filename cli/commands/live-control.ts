import { resolve } from 'node:path';
import type { CrawlRow } from '../../db/crawls.ts';
import { openDataFolder, readRecord } from '../../workers/data-folder.ts';
import type { Control } from '../../workers/control.ts';
import { isAlive } from '../../workers/processes.ts';
import type { CommonFlags } from '../settings/options.ts';
import { closing } from '../session.ts';
import type { Session } from '../session.ts';
import { configInForce } from '../settings/settings-in-force.ts';

/**
 * Speaks to the workflows where a Temporal runs that could listen; `undefined` where none does. Starts no Temporal and
 * no worker.
 */
export async function withLiveControl<T>(
  { servers, terminal, flags }: Session,
  work: (control: Control) => Promise<T>,
): Promise<T | undefined> {
  if (servers.temporal !== undefined) return withControl(servers, work);
  if (!(await temporalRuns(flags))) return undefined;
  const { openServers } = await import('../../workers/open-servers.ts');
  const dataDir = resolve(flags.data);
  const config = await configInForce(flags);
  const order = { dataDir, config, need: 'everything', workers: 0, say: terminal.note } as const;
  const joined = await openServers(order);
  return closing({ close: joined.leave }, () => withControl(joined, work));
}

/** Lets a running crawl look at once at what was written for it; false where nobody serves it. */
export async function wakeCrawl(
  session: Session,
  crawl: Pick<CrawlRow, 'name' | 'settings'>,
): Promise<boolean> {
  const woken = await withLiveControl(session, async (control) => {
    await control.wakeCrawl(crawl);
    return true;
  });
  return woken === true;
}

/** Connects to Temporal, and leaves it again afterwards. */
export async function withControl<T>(
  servers: Session['servers'],
  work: (control: Control) => Promise<T>,
): Promise<T> {
  // Loaded when needed, as it takes long.
  const { connectControl } = await import('../../workers/control.ts');
  const control = await connectControl(servers);
  return closing(control, () => work(control));
}

/** Whether a Temporal runs that could listen: the data folder's, or one's own, which is taken at its word. */
export async function temporalRuns(flags: CommonFlags): Promise<boolean> {
  if ((await configInForce(flags)).temporal !== undefined) return true;
  const { temporal } = readRecord(openDataFolder(flags.data));
  return temporal !== undefined && isAlive(temporal);
}
