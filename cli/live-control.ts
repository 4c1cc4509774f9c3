import { openDataFolder, readRecord } from '../workers/data-folder.ts';
import { loadConfig } from '../workers/config.ts';
import { connectControl } from '../workers/control.ts';
import type { Control } from '../workers/control.ts';
import { openServers } from '../workers/open-servers.ts';
import { isAlive } from '../workers/processes.ts';
import type { CommonFlags } from './options.ts';
import { closing } from './session.ts';
import type { Session } from './session.ts';

/**
 * Speaks to the workflows where a Temporal runs that could listen; `undefined` where none does. Starts no Temporal and
 * no worker.
 */
export async function withLiveControl<T>(
  { servers, terminal, flags }: Session,
  work: (control: Control) => Promise<T>,
): Promise<T | undefined> {
  if (servers.temporal !== undefined) return controlling(servers, work);
  if (!temporalRuns(flags)) return undefined;
  const dataDir = flags.data;
  const joined = await openServers({ dataDir, need: 'everything', workers: 0, say: terminal.note });
  return closing({ close: joined.leave }, () => controlling(joined, work));
}

async function controlling<T>(
  servers: Session['servers'],
  work: (control: Control) => Promise<T>,
): Promise<T> {
  const control = await connectControl(servers);
  return closing(control, () => work(control));
}

function temporalRuns({ data }: CommonFlags): boolean {
  if (loadConfig().temporal !== undefined) return true;
  const { temporal } = readRecord(openDataFolder(data));
  return temporal !== undefined && isAlive(temporal);
}
