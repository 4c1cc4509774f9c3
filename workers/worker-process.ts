import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Environment } from './config.ts';
import { endProcess, identify, type EndingStep, type ProcessId } from './processes.ts';

/** One worker process of the supervisor's. */
export interface OwnWorker {
  readonly process: ProcessId;
  readonly ended: Promise<void>;
  /** Lets it finish its pages in flight, then ends it. */
  readonly stop: () => Promise<void>;
}

/** A worker may take 25 s to finish its pages (its `shutdownGraceTime`), and a little to go. */
export const STOP_WORKER: readonly EndingStep[] = [
  { signal: 'SIGTERM', waitMs: 28_000 },
  { signal: 'SIGKILL', waitMs: 10_000 },
];

/**
 * Starts a worker. Its standard input and its IPC channel are open as long as its supervisor lives: when they close,
 * however that came, the worker leaves by itself.
 */
export async function startWorker(
  nodeArguments: readonly string[],
  environment: Environment,
  logFile: string,
): Promise<OwnWorker> {
  const log = openSync(logFile, 'a');
  try {
    const child = spawn(process.execPath, nodeArguments, {
      env: { ...environment },
      stdio: ['pipe', log, log, 'ipc'],
      detached: true,
    });
    const ended = once(child, 'exit').then(() => undefined);
    await once(child, 'spawn');
    // A worker that dies closes both; that is no error of ours.
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    const found = child.pid === undefined ? undefined : identify(child.pid);
    if (found === undefined) throw new Error(`A worker ended at once: see ${logFile}`);
    return { process: found, ended, stop: () => endProcess(found, STOP_WORKER) };
  } finally {
    closeSync(log);
  }
}
