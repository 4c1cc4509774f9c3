import { join } from 'node:path';
import type { CrawlRow } from '../db/crawls.ts';
import { readProgress } from '../db/progress.ts';
import { connectControl } from '../workers/control.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { followCrawl } from './follow.ts';
import type { Followed } from './follow.ts';
import { hint } from './hints.ts';
import { closing } from './session.ts';
import type { Session } from './session.ts';
import { summaryJson, summaryLines } from './summary.ts';

/** Starts or continues a crawl, follows it to its end, prints the summary and says how it ended. */
export async function runCrawl(session: Session, crawl: CrawlRow): Promise<ExitCode> {
  const { db, servers, terminal, interrupts, flags } = session;
  if (interrupts.signal.aborted) return EXIT.interrupted;

  const control = await connectControl(servers);
  return closing(control, async () => {
    await control.startCrawl(crawl);
    if (servers.uiUrl !== undefined) terminal.note(`Temporal: ${servers.uiUrl}`);

    const followed = await followCrawl({
      readProgress: () => readProgress(db, crawl.crawlId),
      stop: () => control.stopCrawl(crawl),
      endedBefore: crawl.endedAt,
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
  const { progress, interrupted } = followed;
  const context = {
    data: flags.data,
    warcFolder: join(flags.data, 'warc'),
    temporalUi: servers.uiUrl,
    nowMs: Date.now(),
  };
  if (progress !== undefined && flags.json === true) {
    terminal.print(summaryJson(progress, context));
    return;
  }
  if (progress !== undefined) summaryLines(progress, context).forEach(terminal.print);
  if (interrupted)
    terminal.print(`resume with: ${hint(['resume', name, '--data', flags.data], '')}`);
}

function exitCode({ progress, interrupted }: Followed): ExitCode {
  if (progress?.endReason != null && (!interrupted || progress.state === 'finished')) {
    return exitCodeOf(progress.endReason);
  }
  return EXIT.interrupted;
}
