import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolderAt, readRecord } from '../../workers/data-folder.ts';
import { hasEnded, identify, type ProcessId } from '../../workers/processes.ts';
import { startCommand, type CommandRun } from '../e2e/support/command-run.ts';
import { killAll, processTreeOf } from '../e2e/support/process-tree.ts';

const LIMIT_MS = 10 * 60_000;
const LOOK_MS = 100;

/** How every crawl of the manuals is run: the hosts are one's own. */
export const MIN_GAP_MS = 100;

/** Starts a crawl from these pages, within their hosts. */
export function startCrawl(seeds: readonly string[], dataDir: string): CommandRun {
  const manner = ['--min-gap', `${MIN_GAP_MS}ms`, '--gap-factor', '0', '--allow-private'];
  return startCommand(['crawl', ...seeds, '--json', '--data', dataDir, ...manner]);
}

/** Waits for a command to end well. @throws Error with the end of what it printed. */
export async function endWell(run: CommandRun): Promise<void> {
  const code = await Promise.race([run.exitCode, sleep(LIMIT_MS, undefined, { ref: false })]);
  if (code === 0) return;
  if (code === undefined) await run.close();
  const end = run.output().trimEnd().split('\n').slice(-25).join('\n');
  throw new Error(`Ended with ${String(code ?? 'nothing, too late')}:\n${end}`);
}

/**
 * Kills a crawl with all that serves it once `isTime`: command, supervisor, workers and servers, at once and without
 * a word.
 *
 * @returns when, in epoch milliseconds.
 * @throws Error where the crawl ended before, or something outlived the kill.
 */
export async function killAllOnce(
  isTime: () => Promise<boolean>,
  run: CommandRun,
  dataDir: string,
): Promise<number> {
  while (!(await isTime())) {
    if (run.hasExited()) throw new Error(`The crawl ended before its middle:\n${run.output()}`);
    await sleep(LOOK_MS);
  }
  const victims = everyProcess(run, dataDir);
  const killedAtMs = Date.now();
  killAll(victims.map(({ pid }) => pid));
  await run.exitCode;
  for (const victim of victims) {
    if (!(await hasEnded(victim, 10_000))) throw new Error(`Process ${victim.pid} lives on`);
  }
  return killedAtMs;
}

function everyProcess({ pid }: CommandRun, dataDir: string): readonly ProcessId[] {
  const { supervisor, postgres, temporal, workers = [] } = readRecord(dataFolderAt(dataDir));
  const recorded = [supervisor, postgres, temporal, ...workers];
  if (recorded.includes(undefined)) throw new Error('The record names too few processes');
  const roots = [pid, ...recorded.flatMap((one) => (one === undefined ? [] : [one.pid]))];
  return [...new Set(roots.flatMap(processTreeOf))].flatMap((one) => identify(one) ?? []);
}
