import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import type { CrawlRow } from '../../db/crawls.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import { hasEnded } from './follow.ts';
import { hint } from '../hints.ts';
import { withControl } from './live-control.ts';
import type { Session } from '../session.ts';

const LOOK_MS = 200;

/** For the commands that follow a crawl, and may leave it to itself. */
export function detachOption(): Option {
  return new Option('--detach', 'return at once; the crawl, servers and workers run on');
}

/** Starts or continues a crawl and returns once it runs; servers and workers stay when this command has left. */
export async function startDetached(session: Session, crawl: CrawlRow): Promise<ExitCode> {
  const { servers, interrupts } = session;
  if (interrupts.signal.aborted) return EXIT.interrupted;
  await withControl(servers, async (control) => {
    await control.startCrawl(crawl);
    await untilBegun(session, crawl);
  });
  servers.detach();
  sayDetached(session, crawl.name);
  return EXIT.finished;
}

/** A crawl that is being started still shows how it stood before, for a moment. */
async function untilBegun({ db, interrupts }: Session, { name, endedAt }: CrawlRow): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const now = await crawlNamed(db, name);
    if (now.state === 'running' || interrupts.signal.aborted) return;
    if (hasEnded(now, endedAt, performance.now() - startedMs)) return;
    await sleep(LOOK_MS);
  }
}

function sayDetached({ servers, terminal, flags }: Session, name: string): void {
  const { supervisor } = servers.ownPids();
  const temporalUi = servers.uiUrl ?? null;
  if (flags.json === true) {
    terminal.print(JSON.stringify({ kind: 'detached', name, supervisor, temporalUi }));
    return;
  }
  const rows: readonly (readonly [string, string])[] = [
    ['watch', hint(['status', name], flags.data)],
    ...(temporalUi === null ? [] : [['Temporal', temporalUi] as const]),
    ['stop', hint(['stop', name], flags.data)],
    ['servers', `stay until: ${hint(['stop', '--servers'], flags.data)}`],
  ];
  terminal.print(`${name} runs on by itself`);
  for (const [label, said] of rows) terminal.print(`  ${label.padEnd(9)} ${said}`);
}
