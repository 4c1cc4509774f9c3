import type { Command } from 'commander';
import { bandQueues } from '../../db/bands.ts';
import { bandWeightsOf, setWeights } from '../../db/crawls.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { requireCrawls, withSession, type Session } from '../session.ts';
import { parseName, parseWeights } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME, type CommonFlags } from '../settings/options.ts';
import { requireBands } from '../settings/settings.ts';
import { bandsLines, shownBands } from '../views/bands-view.ts';
import { crawlNamed } from './find-crawl.ts';

interface BandsFlags extends CommonFlags {
  readonly weights?: readonly number[];
}

/** `bands [NAME]`: what waits in each band, how long, and its weight in the lottery, which `--weights` changes (R3, R7). */
export function bandsCommand(io: CommandIo): Command {
  const command = newCommand('bands', {
    description: 'Show what waits in each band and how long; change their weights, also meanwhile.',
    examples: [
      ['decorum bands', `the bands of the crawl "${DEFAULT_CRAWL_NAME}"`],
      ['decorum bands docs --weights 4,2,1', 'from the next pull on; no band gets less than 0.2 %'],
      ['decorum bands docs --weights none', 'each half of the one above again'],
    ],
  })
    .argument('[name]', `the crawl (default: "${DEFAULT_CRAWL_NAME}")`, parseName)
    .option('--weights <list>', 'one number a band, the most urgent first', parseWeights);
  return withCommonOptions(command).action(async (name: string | undefined, flags: BandsFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, (session) =>
      show(session, name ?? flags.name ?? DEFAULT_CRAWL_NAME, flags),
    );
    io.ended(EXIT.finished);
  });
}

async function show(
  { db, terminal }: Session,
  name: string,
  { weights, json }: BandsFlags,
): Promise<void> {
  const { crawlId, settings } = await crawlNamed(db, name);
  if (weights !== undefined) {
    requireBands({ ...settings, weights });
    await setWeights(db, crawlId, weights);
  }
  const queues = await bandQueues(db, crawlId, settings.bands);
  const bands = shownBands(queues, await bandWeightsOf(db, crawlId));
  if (json === true) {
    for (const band of bands)
      terminal.print(JSON.stringify({ kind: 'band', crawl: name, ...band }));
    return;
  }
  const width = terminal.isLive ? terminal.width() : Number.POSITIVE_INFINITY;
  bandsLines(bands, { width, colours: terminal.colours }).forEach(terminal.print);
}
