import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { changePolicy, clearPolicy, listPolicies } from '../../db/host-policies.ts';
import type { StoredPolicy } from '../../db/host-policies.ts';
import { parsePolicySubject, type HostPolicy } from '../../domain/host-policy.ts';
import { parseOpenHours, type OpenHours } from '../../domain/open-hours.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { requireCrawls, withSession, type Session } from '../session.ts';
import { parseLimit, parsePagesADay, refuse } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { policiesLines, policyJson } from '../views/policies-view.ts';
import { operator } from './pause.ts';

interface PolicyFlags extends CommonFlags {
  readonly gap?: number | null;
  readonly pagesADay?: number | null;
  readonly hours?: OpenHours | null;
  readonly exclude?: boolean;
  readonly clear?: true;
}

/** `policy [HOST] …`: what goes for a host or a domain whichever crawl asks it (R24, R44); without one, all there are. */
export function policyCommand(io: CommandIo): Command {
  const command = newCommand('policy', {
    description: 'Set a gap, a limit a day, hours or an exclusion for a host or a domain.',
    examples: [
      ['decorum policy', 'every policy there is'],
      ['decorum policy www.example.com --gap 5s --pages-a-day 1000', 'for all crawls, at once'],
      ['decorum policy domain:example.com --hours "22-06 Europe/Berlin"', 'its hosts, by night'],
      ['decorum policy www.example.com --exclude', 'ask it for nothing; --no-exclude undoes it'],
      ['decorum policy www.example.com --gap none', 'leave the gap to the crawls again'],
    ],
  })
    .argument('[host]', 'a host name, or domain:NAME for it and all below it', parseSubject)
    .option('--gap <duration>', 'the gap after each request, or "none"', orNone(parseLimit))
    .option('--pages-a-day <n>', 'requests a day of UTC, or "none"', orNone(parsePagesADay))
    .option('--hours <hours>', 'ask it from then to then only; UTC, or "none"', orNone(parseHours))
    .option('--exclude', 'ask it for nothing')
    .option('--no-exclude', 'undo that')
    .option('--clear', 'take the whole policy back');
  return withCommonOptions(command).action(async (host: string | undefined, flags: PolicyFlags) => {
    const change = changeOf(flags);
    requireSense(host, flags, change);
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, async (session) => {
      if (host !== undefined) await write(session, host, flags, change);
      await show(session, host, flags);
    });
    io.ended(EXIT.finished);
  });
}

function parseSubject(text: string): string {
  const subject = parsePolicySubject(text);
  if (subject !== undefined) return subject;
  throw new InvalidArgumentError(
    'It must be a host name, such as www.example.com, or a domain, such as domain:example.com.',
  );
}

function parseHours(text: string): OpenHours {
  return (
    parseOpenHours(text) ??
    refuse('Write hours of the day and a time zone, such as 22-06 or "8:30-17 Europe/Berlin".')
  );
}

function orNone<T>(parse: (text: string) => T): (text: string) => T | null {
  return (text) => (text === 'none' ? null : parse(text));
}

function changeOf({ gap, pagesADay, hours, exclude }: PolicyFlags): Partial<HostPolicy> {
  return {
    ...(gap === undefined ? {} : { gapMs: gap }),
    ...(pagesADay === undefined ? {} : { pagesADay }),
    ...(hours === undefined ? {} : { hours }),
    ...(exclude === undefined ? {} : { excluded: exclude }),
  };
}

function requireSense(
  host: string | undefined,
  { clear }: PolicyFlags,
  change: Partial<HostPolicy>,
): void {
  const changes = Object.keys(change).length > 0;
  if (host === undefined && (changes || clear === true)) {
    throw new UsageError('No host is named: write it, such as "decorum policy www.example.com".');
  }
  if (clear === true && changes) {
    throw new UsageError('--clear takes the whole policy back: name it alone, or leave it out.');
  }
}

async function write(
  { db, terminal }: Session,
  subject: string,
  { clear }: PolicyFlags,
  change: Partial<HostPolicy>,
): Promise<void> {
  if (clear === true) {
    const was = await clearPolicy(db, subject);
    terminal.note(was ? `the policy of ${subject} is taken back` : `${subject} has no policy`);
  } else if (Object.keys(change).length > 0) {
    await changePolicy(db, subject, change, operator());
  }
}

async function show(
  { db, terminal }: Session,
  subject: string | undefined,
  { clear, json }: PolicyFlags,
): Promise<void> {
  const isMeant = (policy: StoredPolicy): boolean =>
    subject === undefined || policy.subject === subject;
  const policies = (await listPolicies(db)).filter(isMeant);
  if (json === true) {
    policies.map(policyJson).forEach(terminal.print);
    return;
  }
  if (policies.length === 0) {
    if (clear !== true)
      terminal.print(subject === undefined ? 'no policy' : `${subject} has no policy`);
    return;
  }
  const width = terminal.isLive ? terminal.width() : Number.POSITIVE_INFINITY;
  policiesLines(policies, { width, colours: terminal.colours }).forEach(terminal.print);
}
