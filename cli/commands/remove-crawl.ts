import type { CrawlRow } from '../../db/crawls.ts';
import { beginRemoval, contentsOf, removeCrawlRows } from '../../db/remove-crawl.ts';
import type { CrawlContents } from '../../db/remove-crawl.ts';
import { canAsk, confirmed } from './confirm.ts';
import { crawlFiles, removeFiles } from './crawl-files.ts';
import type { CrawlFiles } from './crawl-files.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { crawlOrHalf } from './find-crawl.ts';
import { hint } from '../hints.ts';
import type { CommandIo } from '../io.ts';
import { counted } from '../views/quantities.ts';
import type { Session } from '../session.ts';
import { tallyLine } from '../views/tally-line.ts';

/** What is to be removed, and how sure the person is. */
export interface Removal {
  readonly name: string;
  readonly yes: boolean;
  readonly warc: boolean;
}

/** What a removal needs of a session. */
export type RemovalSession = Omit<Session, 'servers'>;

/**
 * Removes a crawl that doesn't run, after asking; its WARC files only where that is wanted. Interrupted, it stays half
 * removed, and the next call goes on.
 *
 * @throws UsageError where it runs, or nobody can be asked.
 */
export async function removeCrawl(
  session: RemovalSession,
  removal: Removal,
  io: CommandIo,
): Promise<ExitCode> {
  const { db, flags, interrupts } = session;
  const { name, yes, warc } = removal;
  const crawl = await crawlOrHalf(db, name);
  refuseRunning(crawl, flags.data);
  const files = await crawlFiles(flags.data, name);
  const contents = await contentsOf(db, crawl.crawlId);
  if (!yes && !(await isWanted({ removal, contents, files }, session, io))) {
    if (interrupts.signal.aborted) return EXIT.interrupted;
    session.terminal.note('nothing was removed');
    return EXIT.finished;
  }
  // It may have been started while the person thought.
  if (!(await beginRemoval(db, crawl.crawlId))) {
    refuseRunning(await crawlOrHalf(db, name), flags.data);
  }
  // Files first: their names are found by the crawl's, which is gone afterwards.
  if (warc) await removeFiles(files.removable);
  const rows = await removeRows(session, crawl, io);
  if (rows === undefined) return EXIT.interrupted;
  sayRemoved(session, { removal, contents, files });
  return EXIT.finished;
}

interface Plan {
  readonly removal: Removal;
  readonly contents: CrawlContents;
  readonly files: CrawlFiles;
}

function refuseRunning({ name, state }: CrawlRow, data: string): void {
  if (state === 'stopped' || state === 'finished') return;
  throw new UsageError(
    `The crawl "${name}" is ${state}: stop it first, with "${hint(['stop', name], data)}".`,
  );
}

function isWanted(plan: Plan, { interrupts }: RemovalSession, io: CommandIo): Promise<boolean> {
  const what = whatGoes(plan);
  if (canAsk(io)) return confirmed(`Remove ${what}?`, io, interrupts.signal);
  throw new UsageError(`This would remove ${what}. There is no terminal to ask on: add --yes.`);
}

function whatGoes({ removal: { name, warc }, contents, files }: Plan): string {
  const { removable, beingWritten } = files;
  const gone = [
    counted(contents.urls, 'URL'),
    counted(contents.fetches, 'fetch record'),
    ...(warc ? [counted(removable.length, 'WARC file')] : []),
  ];
  const staying = beingWritten.length + (warc ? 0 : removable.length);
  const stay = `${counted(staying, 'WARC file')} stay${staying === 1 ? 's' : ''}`;
  const listed = `${gone.slice(0, -1).join(', ')} and ${gone.at(-1) ?? ''}`;
  return `the crawl "${name}" with ${listed}${staying === 0 ? '' : ` (${stay})`}`;
}

/** The number of rows; `undefined` where the person broke it off. */
async function removeRows(
  { db, flags, interrupts, terminal }: RemovalSession,
  { crawlId, name }: CrawlRow,
  { stderr }: CommandIo,
): Promise<number | undefined> {
  const tally = tallyLine(stderr, 'rows removed', { isShown: flags.quiet !== true });
  let rows = 0;
  const isGone = await removeCrawlRows(db, crawlId, (more) => {
    rows += more;
    tally.show(rows);
    return !interrupts.signal.aborted;
  });
  tally.erase();
  if (isGone) return rows;
  const next = hint(['crawls', 'remove', name], flags.data);
  terminal.note(`interrupted: "${name}" is half removed; finish with: ${next}`);
  return undefined;
}

function sayRemoved({ terminal, flags }: RemovalSession, { removal, contents, files }: Plan): void {
  const { name, warc } = removal;
  const gone = warc ? files.removable : [];
  const kept = warc ? files.beingWritten : [...files.removable, ...files.beingWritten];
  if (flags.json === true) {
    const { urls, fetches } = contents;
    const files = { filesRemoved: gone, filesKept: kept };
    terminal.print(JSON.stringify({ kind: 'removed', name, urls, fetches, ...files }));
    return;
  }
  terminal.print(`${name} is removed`);
  for (const path of gone) terminal.print(`  removed  ${path}`);
  for (const path of kept) terminal.print(`  kept     ${path}`);
}
