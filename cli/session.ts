import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { connectDatabase } from '../db/pool.ts';
import type { Db } from '../db/pool.ts';
import type { Servers } from '../workers/open-servers.ts';
import { UsageError } from './errors.ts';
import { listenForInterrupts } from './interrupts.ts';
import type { Interrupts } from './interrupts.ts';
import type { CommandIo } from './io.ts';
import type { CommonFlags } from './settings/options.ts';
import { configInForce } from './settings/settings-in-force.ts';
import { terminalOn } from './views/terminal.ts';
import type { Terminal } from './views/terminal.ts';

/** What a command works with while its servers are open. */
export interface Session {
  readonly db: Db;
  readonly servers: Servers;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  readonly flags: CommonFlags;
}

/** Which servers a command needs, and how many worker processes. */
export interface Need {
  readonly need: 'database' | 'everything';
  readonly workers?: number;
  /** Hears what happens to servers and workers; absent, it is a remark on the terminal. */
  readonly say?: (line: string) => void;
}

/**
 * Opens what a command needs, runs it, and closes everything again whatever happens. Ctrl-C while the servers start
 * is kept in `interrupts` and acted on once they are up, so that none is left half started.
 */
export async function withSession<T>(
  flags: CommonFlags,
  order: Need,
  io: CommandIo,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const terminal = terminalFor(flags, io);
  const interrupts = listenForInterrupts();
  const raise = interrupts.raise;
  io.readerGone.addEventListener('abort', raise);
  const remark = (): void => {
    terminal.note('interrupted: leaving once the servers are up; Ctrl-C again leaves at once');
  };
  interrupts.signal.addEventListener('abort', remark);
  try {
    // Loaded when needed: Temporal's client takes longer to load than most commands to run.
    const { openServers } = await import('../workers/open-servers.ts');
    const dataDir = resolve(flags.data);
    const config = await configInForce(flags);
    const servers = await openServers({ dataDir, config, say: terminal.note, ...order });
    interrupts.signal.removeEventListener('abort', remark);
    return await closing({ close: servers.leave }, () => {
      const db = connectDatabase(servers.databaseUrl, { max: 2, applicationName: 'decorum cli' });
      return closing({ close: () => db.end() }, () =>
        work({ db, servers, terminal, interrupts, flags }),
      );
    });
  } finally {
    terminal.erase();
    io.readerGone.removeEventListener('abort', raise);
    interrupts.stopListening();
  }
}

/** The terminal of a command, by its `--quiet`. */
export function terminalFor({ quiet }: CommonFlags, io: CommandIo): Terminal {
  return terminalOn(io.stdout, io.stderr, { quiet: quiet === true });
}

/** Runs `work`, then closes `thing`; an error of `work` is not hidden by one of the closing. */
export async function closing<T>(
  thing: { readonly close: () => Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await thing.close().catch(() => undefined);
    throw error;
  }
  await thing.close();
  return result;
}

/** Whether there can be crawls already: in a data folder that is there, or in a database of one's own. */
export async function mayHaveCrawls(flags: CommonFlags): Promise<boolean> {
  if (existsSync(flags.data)) return true;
  return (await configInForce(flags)).databaseUrl !== undefined;
}

/**
 * Refuses to look where there can be nothing, so that looking makes nothing.
 *
 * @throws UsageError
 */
export async function requireCrawls(flags: CommonFlags): Promise<void> {
  if (await mayHaveCrawls(flags)) return;
  throw new UsageError(
    `There is no crawl in "${flags.data}": the folder does not exist. Start one with "decorum crawl", or name another with --data.`,
  );
}
