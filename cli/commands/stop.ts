import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CrawlRow } from '../../db/crawls.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { withLiveControl } from './live-control.ts';
import { parseName } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME } from '../settings/options.ts';
import type { CommonFlags } from '../settings/options.ts';
import { requireCrawls, terminalFor, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import { stopServers } from './stop-servers.ts';

const POLL_MS = 500;

/** The longest page, its settle, and the round of the crawl's workflow that notices. */
const STOP_LIMIT_MS = 60_000;

interface StopFlags extends CommonFlags {
  readonly servers?: true;
}

/** `stop [NAME]`: ends a crawl so that it can be resumed; `stop --servers`: ends the servers. */
export function stopCommand(io: CommandIo): Command {
  const command = newCommand('stop', {
    description:
      'End a crawl once its pages in flight are finished; it can be resumed. Or end servers and workers.',
    examples: [
      ['decorum stop docs', 'go on later with: decorum resume docs'],
      ['decorum stop --servers', 'ends servers and workers; crawls that run can be resumed'],
      ['decorum stop docs --servers', 'the crawl first, then servers and workers'],
    ],
  })
    .argument('[name]', `the crawl (default: "${DEFAULT_CRAWL_NAME}")`, parseName)
    .option('--servers', 'end the servers and workers of the data folder, whoever uses them');
  return withCommonOptions(command).action(async (name: string | undefined, flags: StopFlags) => {
    await requireCrawls(flags);
    const { servers = false } = flags;
    let exitCode: ExitCode = EXIT.finished;
    if (name !== undefined || !servers) {
      exitCode = await stopCrawl(name ?? flags.name ?? DEFAULT_CRAWL_NAME, flags, io);
    }
    if (servers) await stopServers(flags, terminalFor(flags, io));
    io.ended(exitCode);
  });
}

async function stopCrawl(name: string, flags: CommonFlags, io: CommandIo): Promise<ExitCode> {
  const exitCode = await withSession(flags, { need: 'database' }, io, async (session) => {
    const crawl = await crawlNamed(session.db, name);
    if (isEnded(crawl)) return sayEnded(session, crawl);
    return stop(session, crawl);
  });
  // Killed, not stopped: without Temporal nobody can end it in order, so its servers are started for that.
  return exitCode ?? stopKilled(name, flags, io);
}

async function stopKilled(name: string, flags: CommonFlags, io: CommandIo): Promise<ExitCode> {
  const exitCode = await withSession(
    flags,
    { need: 'everything', workers: 1 },
    io,
    async (session) => stop(session, await crawlNamed(session.db, name)),
  );
  return exitCode ?? EXIT.unreachable;
}

/** `undefined` where no Temporal runs that could stop it. */
function stop(session: Session, crawl: CrawlRow): Promise<ExitCode | undefined> {
  const { terminal, interrupts } = session;
  return withLiveControl(session, async (control) => {
    await control.stopCrawl(crawl);
    terminal.note('stopping: finishing pages in flight (up to 25 s)');
    const latest = await untilEnded(session, crawl.name);
    if (isEnded(latest)) return sayEnded(session, latest);
    terminal.note(`the crawl "${crawl.name}" is still finishing; it stops by itself`);
    return interrupts.signal.aborted ? EXIT.interrupted : EXIT.finished;
  });
}

async function untilEnded({ db, interrupts }: Session, name: string): Promise<CrawlRow> {
  const deadlineMs = performance.now() + STOP_LIMIT_MS;
  for (;;) {
    const crawl = await crawlNamed(db, name);
    if (isEnded(crawl) || interrupts.signal.aborted || performance.now() > deadlineMs) return crawl;
    await sleep(POLL_MS);
  }
}

function isEnded({ state }: CrawlRow): boolean {
  return state === 'stopped' || state === 'finished';
}

function sayEnded({ terminal, flags }: Session, { name, state, endReason }: CrawlRow): ExitCode {
  if (flags.json === true)
    terminal.print(JSON.stringify({ kind: 'stopped', name, state, endReason }));
  else terminal.print(`${name} is ${state}; resume with: ${hint(['resume', name], flags.data)}`);
  return EXIT.finished;
}
