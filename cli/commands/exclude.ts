import type { Command } from 'commander';
import type { CrawlRow } from '../../db/crawls.ts';
import { choresOf } from '../../db/chores.ts';
import { changeExcludes } from '../../db/excludes.ts';
import { MOST_RULE_CHARACTERS } from '../../domain/url-selection.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { requireCrawls, withSession, type Session } from '../session.ts';
import { parseName, parseRules } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME, type CommonFlags } from '../settings/options.ts';
import { choreText } from '../views/progress-view.ts';
import { counted } from '../views/quantities.ts';
import { crawlNamed } from './find-crawl.ts';
import { wakeCrawl } from './live-control.ts';

interface ExcludeFlags extends CommonFlags {
  readonly name: string;
  readonly remove?: true;
}

/** `exclude [RULE…]`: which URLs a crawl leaves out, those that are queued already among them (R24, R44). */
export function excludeCommand(io: CommandIo): Command {
  const command = newCommand('exclude', {
    description:
      'Leave URLs out of a crawl from now on, also while it runs: by domain, host, path or pattern. What is queued is excluded too, a batch after another. Without rules: show them.',
    examples: [
      ['decorum exclude domain:example.org path:/print/*', 'two rules more'],
      ['decorum exclude --name docs', 'which rules it has, and how far they are carried out'],
      [
        'decorum exclude path:/print/* --remove',
        'found again, they are taken; what is excluded stays so',
      ],
    ],
  })
    .argument(
      '[rules...]',
      'such as host:www.example.org, path:/a/*, ext:pdf or depth:>3',
      (rule: string, before: readonly string[] | undefined) => parseRules(rule, before),
    )
    .option('--name <name>', 'the name of the crawl', parseName, DEFAULT_CRAWL_NAME)
    .option('--remove', 'take these rules away instead');
  return withCommonOptions(command).action(
    async (rules: readonly string[], flags: ExcludeFlags) => {
      if (flags.remove === true && rules.length === 0) {
        throw new UsageError(
          'There is no rule to remove: name one, such as "decorum exclude path:/print/* --remove".',
        );
      }
      await requireCrawls(flags);
      await withSession(flags, { need: 'database' }, io, async (session) => {
        const crawl = await crawlNamed(session.db, flags.name);
        if (rules.length === 0) await show(session, crawl);
        else await change(session, crawl, rules, flags);
      });
      io.ended(EXIT.finished);
    },
  );
}

async function change(
  session: Session,
  crawl: CrawlRow,
  rules: readonly string[],
  { remove }: ExcludeFlags,
): Promise<void> {
  const { crawlId, name, state, settings } = crawl;
  const { db, terminal, flags } = session;
  if (remove === true) requireKnown(settings.excludes, rules, name);
  else requireRoom([...settings.excludes, ...rules], name);
  const wished = remove === true ? { add: [], remove: rules } : { add: rules, remove: [] };
  const excludes = await changeExcludes(db, crawlId, wished);
  const isServed = state === 'running' && (await wakeCrawl(session, crawl));
  if (flags.json === true) {
    terminal.print(JSON.stringify({ kind: 'excludes', name, state, excludes }));
    return;
  }
  const next = isServed
    ? 'from now on'
    : `it does not run; go on with: ${hint(['resume', name], flags.data)}`;
  terminal.print(`"${name}" excludes by ${counted(excludes.length, 'rule')}; ${next}`);
}

function requireKnown(excludes: readonly string[], rules: readonly string[], name: string): void {
  const unknown = rules.find((rule) => !excludes.includes(rule));
  if (unknown === undefined) return;
  const known = excludes.length === 0 ? 'it has none' : `it has ${excludes.join(' ')}`;
  throw new UsageError(`The crawl "${name}" has no rule "${unknown}": ${known}.`);
}

function requireRoom(rules: readonly string[], name: string): void {
  if ([...new Set(rules)].join(' ').length <= MOST_RULE_CHARACTERS) return;
  throw new UsageError(
    `The rules of the crawl "${name}" would have more than ${MOST_RULE_CHARACTERS} characters together: remove some by --remove.`,
  );
}

async function show(
  { db, terminal, flags }: Session,
  { crawlId, name, state, settings: { excludes } }: CrawlRow,
): Promise<void> {
  const chores = await choresOf(db, crawlId);
  if (flags.json === true) {
    terminal.print(JSON.stringify({ kind: 'excludes', name, state, excludes, chores }));
    return;
  }
  if (excludes.length === 0) terminal.print(`"${name}" excludes nothing by rule`);
  excludes.forEach(terminal.print);
  chores.map(choreText).forEach(terminal.note);
}
