import type { Command } from 'commander';
import type { CrawlRow } from '../../db/crawls.ts';
import type { Control } from '../../workers/control.ts';
import type { ServersDescription } from '../../workers/supervisor-protocol.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { SupervisorLost } from './follow.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { withControl } from './live-control.ts';
import { workersOption } from '../settings/options.ts';
import type { FollowFlags } from '../settings/options.ts';
import { leftRunning, runningCrawls } from './running-crawls.ts';
import { serversJson, serversLines } from '../views/servers-view.ts';
import { terminalFor, withSession } from '../session.ts';
import type { Session } from '../session.ts';

/** `up`: servers and workers in the foreground, for crawls that other commands start. */
export function upCommand(io: CommandIo): Command {
  const command = newCommand('up', {
    description:
      'Run servers and workers until Ctrl-C, for crawls started elsewhere. Crawls that were running go on.',
    examples: [
      ['decorum up', 'then, in another terminal: decorum crawl https://example.com …'],
      ['decorum up --workers 4 --data /srv/crawls', 'four worker processes'],
    ],
  }).addOption(workersOption());
  return withCommonOptions(command).action(async (flags: FollowFlags) => {
    io.ended(await up(flags, io));
  });
}

async function up(flags: FollowFlags, io: CommandIo): Promise<ExitCode> {
  const say = sayer(flags, io);
  const order = { need: 'everything', workers: flags.workers, say } as const;
  return withSession(flags, order, io, async (session) => {
    if (session.interrupts.signal.aborted) return EXIT.interrupted;
    const goingOn = await withControl(session.servers, (control) => goOn(session, control));
    await sayUp(session, goingOn);
    if ((await untilOver(session)) === 'killed') {
      throw new SupervisorLost('The supervisor of the servers was killed');
    }
    await leave(session);
    return EXIT.interrupted;
  });
}

/** What happens while it runs, as remarks or as JSON lines. */
function sayer(flags: FollowFlags, io: CommandIo): (line: string) => void {
  const terminal = terminalFor(flags, io);
  if (flags.json !== true) return terminal.note;
  return (line) => {
    terminal.print(JSON.stringify({ kind: 'said', at: new Date().toISOString(), line }));
  };
}

/** Crawls that ran when their servers ended go on, also where Temporal has forgotten them. */
async function goOn({ db }: Session, control: Control): Promise<readonly CrawlRow[]> {
  const crawls = await runningCrawls(db);
  for (const crawl of crawls) {
    if (crawl.state === 'running') await control.startCrawl(crawl);
    else await control.stopCrawl(crawl);
  }
  return crawls;
}

async function sayUp({ terminal, flags }: Session, goingOn: readonly CrawlRow[]): Promise<void> {
  const servers = await describe(flags.data);
  if (flags.json === true) {
    terminal.print(serversJson(servers));
    return;
  }
  serversLines(servers, flags.data).forEach(terminal.print);
  if (servers?.postgres?.kind === 'embedded') {
    const { passwordFileOf } = await import('../../workers/embedded-postgres.ts');
    terminal.print(
      `           postgres://decorum@127.0.0.1:${servers.postgres.port}/decorum, its password: ${await passwordFileOf(flags.data)}`,
    );
  }
  for (const { name } of goingOn) terminal.note(`${name} goes on`);
  terminal.note(`start a crawl elsewhere: ${hint(['crawl', '<url>'], flags.data)}; Ctrl-C ends`);
}

async function describe(data: string): Promise<ServersDescription | undefined> {
  const { findServers } = await import('../../workers/enquiry.ts');
  return (await findServers(data))?.servers;
}

function untilOver({ interrupts, servers }: Session): Promise<'interrupted' | 'ended' | 'killed'> {
  const { signal } = interrupts;
  return new Promise((resolve) => {
    const interrupted = (): void => {
      resolve('interrupted');
    };
    if (signal.aborted) interrupted();
    signal.addEventListener('abort', interrupted);
    void servers.lost.then(resolve);
  });
}

async function leave({ db, servers, terminal, flags }: Session): Promise<void> {
  terminal.note('leaving: pages in flight are finished (up to 25 s); Ctrl-C again leaves at once');
  const running = await runningCrawls(db).catch(() => []);
  const { stopped } = await servers.leave();
  if (flags.json === true) {
    const names = running.map(({ name }) => name);
    terminal.print(JSON.stringify({ kind: 'left', stopped, running: names }));
    return;
  }
  if (stopped) {
    terminal.print('servers and workers are down');
    leftRunning(running, flags.data).forEach(terminal.print);
  } else {
    terminal.print(
      `servers and workers stay, since others need them or they were detached: see ${hint(['status'], flags.data)}`,
    );
  }
}
