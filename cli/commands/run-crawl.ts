import { join } from 'node:path';
import type { CrawlRow } from '../../db/crawls.ts';
import { readProgress } from '../../db/progress.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followCrawl } from './follow.ts';
import type { Followed } from './follow.ts';
import { crawlNamed } from './find-crawl.ts';
import { withControl } from './live-control.ts';
import type { Session } from '../session.ts';
import { resumeLine, summaryJson, summaryLines } from '../views/summary.ts';

/** Starts or continues a crawl, follows it to its end, prints the summary and says how it ended. */
export async function runCrawl(session: Session, crawl: CrawlRow): Promise<ExitCode> {
  const { db, servers, terminal, interrupts, flags } = session;
  if (interrupts.signal.aborted) return EXIT.interrupted;

  return withControl(servers, async (control) => {
    await control.startCrawl(crawl);
    // A crawl that was still stopping has ended in the meantime, and begun again.
    const { endedAt } = crawl.state === 'stopping' ? await crawlNamed(db, crawl.name) : crawl;
    if (servers.uiUrl !== undefined) terminal.note(`Temporal: ${servers.uiUrl}`);

    const followed = await followCrawl({
      readProgress: () => readProgress(db, crawl.crawlId),
      stop: () => control.stopCrawl(crawl),
      endedBefore: endedAt,
      interrupted: interrupts.signal,
      lost: servers.lost,
      terminal,
      json: flags.json === true,
      quiet: flags.quiet === true,
    });
    printEnd(session, crawl.name, followed);
    return exitCode(followed);
  });
}

function printEnd({ servers, terminal, flags }: Session, name: string, followed: Followed): void {
  const { progress, run } = followed;
  const context = {
    data: flags.data,
    warcFolder: join(flags.data, 'warc'),
    temporalUi: servers.uiUrl,
    run,
    nowMs: Date.now(),
  };
  if (progress === undefined) terminal.print(resumeLine(name, flags.data));
  else if (flags.json === true) terminal.print(summaryJson(progress, context));
  else summaryLines(progress, context).forEach(terminal.print);
}

function exitCode({ progress, interrupted }: Followed): ExitCode {
  if (progress?.endReason != null && (!interrupted || progress.state === 'finished')) {
    return exitCodeOf(progress.endReason);
  }
  return EXIT.interrupted;
}
