import type { Command } from 'commander';
import type { CrawlRow } from '../../db/crawls.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import { handOver } from './hand-over.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { wakeCrawl } from './live-control.ts';
import { parseName, parseText } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME } from '../settings/options.ts';
import type { CommonFlags } from '../settings/options.ts';
import { addressesBy } from '../settings/own-hosts.ts';
import { counted } from '../views/quantities.ts';
import { ownershipOfSeeds, readSeeds, requireFewRoots } from '../seeds/seeds.ts';
import type { ReadSeeds } from '../seeds/seeds.ts';
import type { SeedList } from '../seeds/seed-list.ts';
import { requireTakenSeed } from '../seeds/selected-seeds.ts';
import { requireCrawls, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import { settingsOf } from '../settings/settings.ts';

interface SeedFlags extends CommonFlags {
  readonly name: string;
  readonly file?: string;
  readonly skipBad?: true;
}

/** `seed URL…`: gives more seeds to a crawl that is there, running or not. */
export function seedCommand(io: CommandIo): Command {
  const command = newCommand('seed', {
    description:
      'Give more seeds to a crawl. One that runs takes them up by itself, another when it is resumed.',
    examples: [
      ['decorum seed https://example.org/ --name docs', "the crawl's scope grows by that host"],
      ['decorum seed --file urls.txt --skip-bad', 'one a line; lines that are no URL are left out'],
      ['cat urls.txt | decorum seed --file -', 'from standard input'],
    ],
  })
    .argument('[urls...]', 'URLs to begin with')
    .option('--name <name>', 'the name of the crawl', parseName, DEFAULT_CRAWL_NAME)
    .option('--file <file>', 'a file of seeds, one a line; "-" is standard input', parseText)
    .option('--skip-bad', 'leave out lines of the file that are no URL, and say how many');
  return withCommonOptions(command).action(async (typed: readonly string[], flags: SeedFlags) => {
    if (typed.length === 0 && flags.file === undefined) {
      throw new UsageError(
        'There is no seed: give one, such as "decorum seed https://example.com/", or --file.',
      );
    }
    await requireCrawls(flags);
    const { file, skipBad = false, quiet = false } = flags;
    const read = await readSeeds({ typed, file, skipBad, quiet }, io);
    try {
      io.ended(
        await withSession(flags, { need: 'database' }, io, (session) =>
          seed(session, read, flags.name, io),
        ),
      );
    } finally {
      await read.seeds.close();
    }
  });
}

async function seed(
  session: Session,
  { seeds, leftOut }: ReadSeeds,
  name: string,
  { stderr }: CommandIo,
): Promise<ExitCode> {
  const { db, terminal, flags } = session;
  const crawl = await crawlNamed(db, name);
  const { scopeRoots } = await judged(crawl, seeds, flags);
  await requireTakenSeed(crawl.settings, seeds);
  const handedOver = await handOver(session, crawl, seeds, { roots: scopeRoots, stderr });
  if (handedOver === undefined) {
    terminal.note('interrupted: no seed was handed over');
    return EXIT.interrupted;
  }
  // Read again: it may have ended meanwhile.
  const { state } = await crawlNamed(db, name);
  const isServed = state === 'running' && (await wakeCrawl(session, crawl));
  const { given, leftOut: byRule } = handedOver;
  if (flags.json === true) {
    const told = { kind: 'seeded', name, state, seeds: given, leftOut: leftOut + byRule };
    terminal.print(JSON.stringify(told));
    return EXIT.finished;
  }
  const next = isServed
    ? 'it takes them up now'
    : `it does not run; go on with: ${hint(['resume', name], flags.data)}`;
  terminal.print(`${counted(given, 'seed')} handed over to "${name}"; ${next}`);
  return EXIT.finished;
}

/**
 * The settings that the crawl would have with these seeds, judged as `crawl` judges them: somebody else's hosts need a
 * contact and a polite gap.
 *
 * @throws UsageError
 */
async function judged(
  { name, settings }: CrawlRow,
  seeds: SeedList,
  flags: CommonFlags,
): Promise<CrawlSettings> {
  const ask = settings.allowPrivate ? addressesBy(settings.dnsServers) : undefined;
  const ownership = await ownershipOfSeeds(seeds, ask);
  const source = { seeds: seeds.samples, ownership, before: settings };
  const change = hint(['crawl', '--name', name], flags.data);
  const grown = ((): CrawlSettings => {
    try {
      return settingsOf({ ...flags, name, workers: 1 }, source);
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      throw new UsageError(`${cause.message} Settings are changed by "${change}".`, { cause });
    }
  })();
  if (grown.allowPrivate && !settings.allowPrivate) {
    throw new UsageError(
      `The crawl "${name}" fetches from no loopback address: give "${seeds.samples[0] ?? ''}" to a crawl of its own, or allow it by "${change} --allow-private".`,
    );
  }
  requireFewRoots(grown, seeds);
  return grown;
}
