import type { Command } from 'commander';
import { findCrawl, saveCrawl } from '../../db/crawls.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { changedSettings, sayChanges } from '../settings/changed-settings.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { detachOption, startDetached } from './detach.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { halfRemoved } from './find-crawl.ts';
import { handOver } from './hand-over.ts';
import type { CommandIo } from '../io.ts';
import { commandOption, crawlOptions, workersOption } from '../settings/options.ts';
import type { CrawlFlags } from '../settings/options.ts';
import { addressesBy } from '../settings/own-hosts.ts';
import { runCrawl } from './run-crawl.ts';
import type { SeedList } from '../seeds/seed-list.ts';
import { ownershipOfSeeds, readSeeds, requireFewRoots } from '../seeds/seeds.ts';
import { requireTakenSeed } from '../seeds/selected-seeds.ts';
import { mayHaveCrawls, withSession } from '../session.ts';
import { prioritizerOf, seedBands } from '../settings/prioritizer.ts';
import { requireSameRules, settingsOf } from '../settings/settings.ts';

/** `crawl [seeds…]`: starts a crawl, or goes on with the one of that name, and follows it to its end. */
export function crawlCommand(io: CommandIo): Command {
  const command = newCommand('crawl', {
    description:
      'Crawl from seeds to the end, or go on with a crawl. Settings that are not given stay as they were.',
    examples: [
      ['decorum crawl https://example.com --contact https://you.example/bot', 'one site'],
      [
        'decorum crawl --seeds urls.txt --pages 500 --contact mailto:you@you.example',
        'seeds from a file ("-": standard input), one a line; 500 pages, exactly',
      ],
      ['decorum crawl http://localhost:8080 --min-gap 100ms', "one's own server, quickly"],
      ['decorum crawl --name docs --pages 1000', 'go on with a higher budget'],
    ],
  })
    .argument('[seeds...]', 'URLs to begin with; none: go on with the crawl --name')
    .addOption(commandOption('name'))
    .addOption(commandOption('seeds'))
    .option('--skip-bad', 'leave out lines of the file that are no URL, and say how many');
  for (const option of crawlOptions()) command.addOption(option);
  command.addOption(workersOption()).addOption(detachOption());
  return withCommonOptions(command).action(async (typed: readonly string[], flags: Flags) => {
    const { seeds: file, skipBad = false, quiet = false } = flags;
    const { seeds } = await readSeeds({ typed, file, skipBad, quiet }, io);
    try {
      io.ended(await crawl(seeds, flags, io));
    } finally {
      await seeds.close();
    }
  });
}

interface Flags extends CrawlFlags {
  readonly skipBad?: true;
}

async function crawl(seeds: SeedList, flags: CrawlFlags, io: CommandIo): Promise<ExitCode> {
  const ask = flags.allowPrivate === true ? addressesBy(flags.dns ?? []) : undefined;
  const ownership = await ownershipOfSeeds(seeds, ask);
  const settle = async (before: CrawlSettings | undefined): Promise<CrawlSettings> => {
    const settings = settingsOf(flags, { seeds: seeds.samples, ownership, before });
    requireFewRoots(settings, seeds);
    await requireTakenSeed(settings, seeds);
    return settings;
  };

  await judgeFirst(flags, io, { settle, samples: seeds.samples });
  return withSession(flags, { need: 'everything', workers: flags.workers }, io, async (session) => {
    const { db } = session;
    const before = await findCrawl(db, flags.name);
    if (before !== undefined && before.removingSince !== null) {
      throw new UsageError(halfRemoved(flags.name));
    }
    const wished = await settle(before?.settings);
    await seedBands(wished, seeds.samples);
    const saved = await saveCrawl(db, flags.name, wished);
    // Another command may have made it meanwhile, with other rules.
    requireSameRules(flags, saved.settings);
    if (before !== undefined) {
      sayChanges(session.terminal, flags, changedSettings(before.settings, saved.settings));
    }
    const given = await handOver(session, saved, seeds, { roots: [], stderr: io.stderr });
    if (given === undefined) return EXIT.interrupted;
    return (flags.detach === true ? startDetached : runCrawl)(session, saved);
  });
}

/**
 * Judges the command before anything is started or written. What it lacks by itself may be in the crawl it goes on
 * with; only then is the database opened for a look.
 */
async function judgeFirst(
  flags: CrawlFlags,
  io: CommandIo,
  {
    settle,
    samples,
  }: {
    readonly settle: (before: CrawlSettings | undefined) => Promise<CrawlSettings>;
    readonly samples: SeedList['samples'];
  },
): Promise<void> {
  const isFirst = !(await mayHaveCrawls(flags));
  const settings = await (async () => {
    try {
      return await settle(undefined);
    } catch (error) {
      if (isFirst) throw error;
      return await withSession(flags, { need: 'database' }, io, async ({ db }) =>
        settle((await findCrawl(db, flags.name))?.settings),
      );
    }
  })();
  // How many bands a crawl has that is there already is known later, and what its seeds go into.
  if (isFirst) await seedBands(settings, samples);
  else await prioritizerOf(settings.prioritizer);
}
