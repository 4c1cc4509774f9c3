import type { Command } from 'commander';
import { listCrawls } from '../../db/crawls.ts';
import { readProgress } from '../../db/progress.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import type { CommandIo } from '../io.ts';
import { parseName } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { progressJson, progressLines } from '../views/progress-view.ts';
import { serversJson, serversLines } from '../views/servers-view.ts';
import { requireCrawls, withSession } from '../session.ts';
import { endOf } from '../views/summary.ts';

/** `status [NAME]`: where a crawl stands, or all of them, and who runs the servers. */
export function statusCommand(io: CommandIo): Command {
  const command = newCommand('status', {
    description: 'Show where a crawl stands, or all of them, and who runs the servers.',
    examples: [
      ['decorum status', 'every crawl in the data folder'],
      ['decorum status docs --json', 'one crawl, for machines'],
    ],
  }).argument('[name]', 'the crawl; without it, all', parseName);
  return withCommonOptions(command).action(async (name: string | undefined, flags: CommonFlags) => {
    await requireCrawls(flags);
    const { findServers } = await import('../../workers/enquiry.ts');
    // Before this command joins or starts any.
    const found = await findServers(flags.data);
    await withSession(flags, { need: 'database' }, io, async ({ db, terminal }) => {
      const crawls = name === undefined ? await listCrawls(db) : [await crawlNamed(db, name)];
      if (crawls.length === 0 && flags.json !== true) {
        terminal.print('no crawl yet: start one with "decorum crawl https://example.com/"');
      }
      for (const { crawlId } of crawls) {
        const progress = await readProgress(db, crawlId);
        const look = { progress, pagesPerSecond: undefined, nowMs: Date.now() };
        if (flags.json === true) {
          terminal.print(progressJson(look));
          continue;
        }
        progressLines(look, { width: terminal.width(), colours: terminal.colours }).forEach(
          terminal.print,
        );
        if (progress.endReason !== null) terminal.print(`  ended    ${endOf(progress)}`);
      }
      if (flags.json === true) terminal.print(serversJson(found?.servers));
      else serversLines(found?.servers, flags.data).forEach(terminal.print);
    });
    io.ended(EXIT.finished);
  });
}
