import type { Command } from 'commander';
import { explainHost } from '../../db/explain.ts';
import { liftHold } from '../../db/holds.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { detachOption, startDetached } from './detach.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import { hint } from '../hints.ts';
import { parseHost } from './host-argument.ts';
import type { CommandIo } from '../io.ts';
import { withLiveControl } from './live-control.ts';
import { parseName } from '../settings/option-values.ts';
import { prioritizerOf } from '../settings/prioritizer.ts';
import { DEFAULT_CRAWL_NAME, workersOption } from '../settings/options.ts';
import type { FollowFlags } from '../settings/options.ts';
import { operator } from './pause.ts';
import { runCrawl } from './run-crawl.ts';
import { requireCrawls, withSession } from '../session.ts';
import type { Session } from '../session.ts';

interface ResumeFlags extends FollowFlags {
  readonly host?: HostKey;
}

/** `resume [NAME]`: goes on with a crawl; `resume --host HOST`: lifts a host's pause. */
export function resumeCommand(io: CommandIo): Command {
  const command = newCommand('resume', {
    description: 'Go on with a crawl after a stop or a kill, or with a paused host.',
    examples: [
      ['decorum resume', `the crawl "${DEFAULT_CRAWL_NAME}", followed to its end`],
      ['decorum resume docs --data /srv/crawls', 'the crawl "docs" in another data folder'],
      ['decorum resume docs --detach', 'the same in the background'],
      ['decorum resume --host www.example.com', 'lifts the pause of a host, and returns at once'],
    ],
  })
    .argument('[name]', `the crawl (default: "${DEFAULT_CRAWL_NAME}")`, parseName)
    .option('--host <host>', 'lift the pause of this host', parseHost)
    .addOption(workersOption())
    .addOption(detachOption());
  return withCommonOptions(command).action(async (name: string | undefined, flags: ResumeFlags) => {
    await requireCrawls(flags);
    const { host } = flags;
    if (host === undefined) {
      io.ended(await resumeCrawl(name ?? flags.name ?? DEFAULT_CRAWL_NAME, flags, io));
      return;
    }
    if (name !== undefined) {
      throw new UsageError(
        `A host's pause is lifted for all crawls: leave "${name}" out beside --host.`,
      );
    }
    await withSession(flags, { need: 'database' }, io, (session) => resumeHost(session, host));
    io.ended(EXIT.finished);
  });
}

function resumeCrawl(name: string, flags: ResumeFlags, io: CommandIo): Promise<ExitCode> {
  return withSession(flags, { need: 'everything', workers: flags.workers }, io, async (session) => {
    const crawl = await crawlNamed(session.db, name);
    await prioritizerOf(crawl.settings.prioritizer);
    return (flags.detach === true ? startDetached : runCrawl)(session, crawl);
  });
}

async function resumeHost(session: Session, host: HostKey): Promise<void> {
  const { db, terminal, flags } = session;
  const who = operator();
  const sequence = await liftHold(db, host);
  if (sequence === undefined && (await explainHost(db, host)) === undefined) {
    throw new UsageError(`No crawl here knows the host "${host}".`);
  }
  const heard =
    sequence !== undefined &&
    (await withLiveControl(session, (control) =>
      control.resumeHost(host, who, sequence).then(() => true),
    ));
  if (flags.json === true) {
    terminal.print(JSON.stringify({ kind: 'resumed', host, wasPaused: sequence !== undefined }));
    return;
  }
  if (sequence === undefined) terminal.print(`${host} is not paused`);
  else if (heard === true) terminal.print(`${host} goes on`);
  else terminal.print(`${host} goes on with the next: ${hint(['resume'], flags.data)}`);
}
