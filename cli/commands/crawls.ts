import { Argument } from 'commander';
import type { Command } from 'commander';
import { crawlSizes } from '../../db/crawl-sizes.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { crawlJson, crawlsLines } from '../views/crawls-view.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { parseName } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { removeCrawl } from './remove-crawl.ts';
import { requireCrawls, withSession } from '../session.ts';
import type { Session } from '../session.ts';

interface CrawlsFlags extends CommonFlags {
  readonly yes?: true;
  readonly warc?: true;
}

/** `crawls`: lists them; `crawls remove NAME`: removes one that doesn't run. */
export function crawlsCommand(io: CommandIo): Command {
  const command = newCommand('crawls', {
    description: "List the crawls, or remove one that doesn't run.",
    examples: [
      ['decorum crawls', 'every crawl with its state and size'],
      ['decorum crawls remove docs', 'asks first; its WARC files stay'],
      ['decorum crawls remove docs --warc --yes', 'its WARC files too, unasked'],
    ],
  })
    .addArgument(new Argument('[action]', 'what to do; without it, list').choices(['remove']))
    .argument('[name]', 'the crawl to remove', parseName)
    .option('--yes', 'remove without asking')
    .option('--warc', 'remove the WARC files too');
  return withCommonOptions(command).action(
    async (action: 'remove' | undefined, name: string | undefined, flags: CrawlsFlags) => {
      const { yes = false, warc = false } = flags;
      if (action === undefined && (yes || warc)) {
        throw new UsageError('--yes and --warc go with "crawls remove": name the crawl.');
      }
      if (action !== undefined && name === undefined) {
        throw new UsageError('Which crawl? Name it: "decorum crawls remove <name>".');
      }
      await requireCrawls(flags);
      io.ended(
        await withSession(flags, { need: 'database' }, io, async (session) => {
          if (name !== undefined) return removeCrawl(session, { name, yes, warc }, io);
          await list(session);
          return EXIT.finished;
        }),
      );
    },
  );
}

async function list({ db, terminal, flags }: Session): Promise<void> {
  const crawls = await crawlSizes(db);
  if (flags.json === true) {
    crawls.map(crawlJson).forEach(terminal.print);
    return;
  }
  if (crawls.length === 0) {
    terminal.print('no crawl yet: start one with "decorum crawl https://example.com/"');
    return;
  }
  const width = terminal.isLive ? terminal.width() : Number.POSITIVE_INFINITY;
  crawlsLines(crawls, { width, colours: terminal.colours }).forEach(terminal.print);
}
