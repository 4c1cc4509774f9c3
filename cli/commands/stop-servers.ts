import type { CommonFlags } from '../settings/options.ts';
import { leftRunning, runningCrawlsIn } from './running-crawls.ts';
import type { Terminal } from '../views/terminal.ts';

/** Ends the servers and workers of a data folder, and says what becomes of the crawls that run. */
export async function stopServers({ data, json }: CommonFlags, terminal: Terminal): Promise<void> {
  const { endServers, findServers } = await import('../../workers/enquiry.ts');
  const found = await findServers(data);
  const running = await runningCrawlsIn(found?.databaseUrl);
  if (found !== undefined) {
    terminal.note(
      'ending: pages in flight are finished (up to 25 s), then workers and servers end',
    );
  }
  const ended = await endServers(data);
  if (json === true) {
    const names = running.map(({ name }) => name);
    terminal.print(JSON.stringify({ kind: 'serversEnded', ended, running: names }));
    return;
  }
  terminal.print(SAYINGS[ended]);
  leftRunning(running, data).forEach(terminal.print);
}

const SAYINGS = {
  supervisor: 'servers and workers are down',
  leftovers: 'what a killed run had left of its servers is down',
  nothing: 'no servers run',
} as const;
