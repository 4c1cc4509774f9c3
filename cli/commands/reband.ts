import { resolve } from 'node:path';
import type { Command } from 'commander';
import { changeBandRules, queuedSamples } from '../../db/change-band-rules.ts';
import type { CrawlRow } from '../../db/crawls.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { requireCrawls, withSession, type Session } from '../session.ts';
import { parseBands, parseFile, parseName, parsePriority } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME, type CommonFlags } from '../settings/options.ts';
import { triedBands } from '../settings/prioritizer.ts';
import { requireBands } from '../settings/settings.ts';
import { crawlNamed } from './find-crawl.ts';
import { wakeCrawl } from './live-control.ts';

interface RebandFlags extends CommonFlags {
  readonly name: string;
  readonly priority?: readonly string[];
  readonly prioritizer?: string;
  readonly bands?: number;
}

/** `reband`: gives a crawl other rules for bands, and what is queued the bands that they say (R2). */
export function rebandCommand(io: CommandIo): Command {
  const command = newCommand('reband', {
    description:
      'Change which URLs go into which band, also while the crawl runs: what is queued goes by the new rules too, a batch after another. What is not given stays; without rules, go by those that it has.',
    examples: [
      ['decorum reband --priority path:/news/*=1', 'this rule in place of those that it had'],
      ['decorum reband --name docs --priority none --prioritizer ./my-rule.js', 'by a module'],
      ['decorum reband --bands 5', 'there may be more of them, and not fewer'],
    ],
  })
    .option('--name <name>', 'the name of the crawl', parseName, DEFAULT_CRAWL_NAME)
    .option(
      '--priority <rule=band>',
      'the rules from now on, as path:/blog/*=1; may be given again, the first wins; or "none"',
      parsePriority,
    )
    .option(
      '--prioritizer <file>',
      'a module of yours that is asked before the rules; or "none"',
      parseFile,
    )
    .option('--bands <n>', 'give the crawl more bands, up to 8', parseBands);
  return withCommonOptions(command).action(async (flags: RebandFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, async (session) => {
      await reband(session, await crawlNamed(session.db, flags.name), flags);
    });
    io.ended(EXIT.finished);
  });
}

async function reband(session: Session, crawl: CrawlRow, flags: RebandFlags): Promise<void> {
  const { crawlId, name, state } = crawl;
  const { db, terminal } = session;
  const change = changeOf(crawl, flags);
  const settings = { ...crawl.settings, ...change };
  requireBands(settings);
  await triedBands(settings, 'queued URL', await queuedSamples(db, crawlId));
  await changeBandRules(db, crawlId, change);
  const isServed = state === 'running' && (await wakeCrawl(session, crawl));
  const { priority, prioritizer, bands, weights } = settings;
  if (flags.json === true) {
    const rules = { priority, prioritizer, bands, weights };
    terminal.print(JSON.stringify({ kind: 'reband', name, state, ...rules }));
    return;
  }
  if (weights !== crawl.settings.weights)
    terminal.note('weights: each half of the one above, as there are more bands');
  const rules = [...(prioritizer === null ? [] : [prioritizer]), ...priority, 'the default rule'];
  const next = isServed
    ? 'what is queued follows, see: ' + hint(['status', name], session.flags.data)
    : `it does not run; go on with: ${hint(['resume', name], session.flags.data)}`;
  terminal.print(`"${name}" goes by ${rules.join(', ')}; ${next}`);
}

/** @throws UsageError for fewer bands than there are. */
function changeOf(
  { name, settings }: CrawlRow,
  { priority, prioritizer, bands }: RebandFlags,
): Parameters<typeof changeBandRules>[2] {
  if (bands !== undefined && bands < settings.bands) {
    throw new UsageError(
      `The crawl "${name}" has ${settings.bands} bands, and cannot have fewer, ${bands}, since URLs wait in each: give --bands ${settings.bands} or more.`,
    );
  }
  return {
    ...(priority === undefined ? {} : { priority }),
    ...(prioritizer === undefined
      ? {}
      : { prioritizer: prioritizer === 'none' ? null : resolve(prioritizer) }),
    ...(bands === undefined || bands === settings.bands ? {} : { bands, weights: [] }),
  };
}
