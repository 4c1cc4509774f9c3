import type { Command } from 'commander';
import { listCrawls } from '../../db/crawls.ts';
import { explainRobots, type RobotsReader } from '../../db/explain-robots.ts';
import type { Db } from '../../db/pool.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { crawlOrHalf } from './find-crawl.ts';
import { parseUrl } from './host-argument.ts';
import type { CommandIo } from '../io.ts';
import { parseName, parseUserAgent } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { robotsLines } from '../views/robots-view.ts';
import { requireCrawls, withSession } from '../session.ts';

interface RobotsFlags extends CommonFlags {
  readonly name?: string;
  readonly agent?: string;
}

/** `robots URL`: whether robots.txt allows it, by which line of which file (R20). Nobody is asked. */
export function robotsCommand(io: CommandIo): Command {
  const command = newCommand('robots', {
    description: 'Show whether robots.txt allows a URL, and by which line.',
    examples: [
      ['decorum robots https://www.example.com/about', 'by the file as it is stored'],
      ['decorum robots https://www.example.com/about --agent OtherBot', 'for another crawler'],
    ],
  })
    .argument('<url>', 'the URL to judge', parseUrl)
    .option('--name <crawl>', 'judge for this crawl; without it, for the latest', parseName)
    .option('--agent <name>', 'judge for this User-Agent or product token', parseUserAgent);
  return withCommonOptions(command).action(async (url: RequestUrl, flags: RobotsFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, async ({ db, terminal }) => {
      const found = await explainRobots(db, url, await readerOf(db, flags));
      if (flags.json === true) terminal.print(JSON.stringify(found));
      else robotsLines(found, Date.now()).forEach(terminal.print);
    });
    io.ended(EXIT.finished);
  });
}

async function readerOf(db: Db, { name, agent }: RobotsFlags): Promise<RobotsReader> {
  const latest = [...(await listCrawls(db))]
    .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
    .at(-1);
  const crawl = name === undefined ? latest : await crawlOrHalf(db, name);
  const userAgent = agent ?? crawl?.settings.userAgent;
  if (userAgent === undefined)
    throw new UsageError(
      'There is no crawl whose name a robots.txt could call: give one with --agent.',
    );
  return { userAgent, openAfterMs: crawl?.settings.robotsOpenAfterMs ?? null };
}
