import { Option } from 'commander';
import type { Command } from 'commander';
import { countHosts, HOST_SORTS, listHosts } from '../../db/list-hosts.ts';
import type { HostSort, HostsOrder } from '../../db/list-hosts.ts';
import { shortagesNow } from '../../db/shortages.ts';
import { HOST_STATES } from '../../domain/crawl-state.ts';
import type { HostState } from '../../domain/crawl-state.ts';
import { shortageText } from '../../domain/shortage.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import { hostJson, hostsLines } from '../views/hosts-view.ts';
import type { CommandIo } from '../io.ts';
import { parseCount, parseName } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { count } from '../views/quantities.ts';
import { requireCrawls, withSession } from '../session.ts';
import type { Session } from '../session.ts';

const DEFAULT_LIMIT = 50;

interface HostsFlags extends CommonFlags {
  readonly name?: string;
  readonly state?: HostState;
  readonly sort: HostSort;
  readonly limit: number;
}

/** `hosts`: which hosts there are, when each may be asked again and why, and what is left (R45). */
export function hostsCommand(io: CommandIo): Command {
  const command = newCommand('hosts', {
    description: 'List hosts: state, next allowed time, gap and how it came about, queue, pages.',
    examples: [
      ['decorum hosts', 'those under way first, by their next allowed time'],
      ['decorum hosts --state held', 'who has paused what, and why'],
      ['decorum hosts --name docs --sort queue --limit 10', 'where most of one crawl is left'],
    ],
  })
    .option('--name <crawl>', "only this crawl's hosts, with its part of them", parseName)
    .addOption(new Option('--state <state>', 'only hosts in this state').choices(HOST_STATES))
    .addOption(
      new Option('--sort <by>', 'next and name rise, the others have the largest first')
        .choices(HOST_SORTS)
        .default('next'),
    )
    .option('--limit <n>', 'list at most so many', parseCount, DEFAULT_LIMIT);
  return withCommonOptions(command).action(async (flags: HostsFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, (session) => show(session, flags));
    io.ended(EXIT.finished);
  });
}

async function show(
  { db, terminal }: Session,
  { name, state, sort, limit, json }: HostsFlags,
): Promise<void> {
  const crawlId = name === undefined ? null : (await crawlNamed(db, name)).crawlId;
  const order: HostsOrder = { crawlId, state: state ?? null, sort, limit };
  const hosts = await listHosts(db, order);
  if (json === true) {
    hosts.map(hostJson).forEach(terminal.print);
    return;
  }
  if (hosts.length === 0) {
    terminal.print(`no host${state === undefined ? '' : ` is ${wordFor(state)}`}`);
    return;
  }
  // Of the crawls that run, not of any host: it stands beside the table, as in status.
  for (const shortage of await shortagesNow(db)) terminal.note(`held: ${shortageText(shortage)}`);
  // What goes into a pipe is cut by nobody.
  const width = terminal.isLive ? terminal.width() : Number.POSITIVE_INFINITY;
  const look = { width, colours: terminal.colours, nowMs: Date.now() };
  hostsLines(hosts, look).forEach(terminal.print);
  const more = hosts.length < limit ? 0 : (await countHosts(db, order)) - hosts.length;
  if (more > 0) terminal.note(`… and ${count(more)} more: --limit`);
}

function wordFor(state: HostState): string {
  return state === 'robots' ? 'awaiting robots.txt' : state;
}
