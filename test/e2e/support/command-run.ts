import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { packageRoot } from '../../../workers/package-root.ts';
import { endProcess, identify, within, type ProcessId } from '../../../workers/processes.ts';

/** One `decorum` command under way, as a person at a shell sees it. */
export interface CommandRun {
  readonly pid: number;
  /** Everything printed so far, on both streams. */
  readonly output: () => string;
  /** The exit code; -1 where a signal ended it. */
  readonly exitCode: Promise<number>;
  readonly hasExited: () => boolean;
  /** Resolves once the text has been printed. @throws Error where the command ends or a minute passes before. */
  readonly said: (text: string) => Promise<void>;
  /** Ctrl-C, sent to this process only. */
  readonly interrupt: () => void;
  /** Ends the command, however hard it takes. */
  readonly close: () => Promise<void>;
}

/** Runs the built command (`npm run build`), in an environment that names no servers; `settings` are added to it. */
export function startCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): CommandRun {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'cli', 'main.js'), ...args], {
    env: { ...environment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? -1);
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const started = idOf(child);

  return {
    pid: started.pid,
    output,
    exitCode: exited,
    hasExited,
    said: async (text) => {
      await within(SAYING_LIMIT_MS, () => output().includes(text) || hasExited());
      if (!output().includes(text)) throw new Error(`Never said "${text}":\n${output()}`);
    },
    interrupt: () => void child.kill('SIGINT'),
    close: () => endProcess(started, ENDING),
  };
}

const SAYING_LIMIT_MS = 60_000;

const ENDING = [
  { signal: 'SIGTERM', waitMs: 1_000 },
  { signal: 'SIGKILL', waitMs: 10_000 },
] as const;

/** The environment of this process without what names servers or settings. */
export function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter(
    (name) =>
      !/^(?:DATABASE_URL|PG|TEMPORAL_(?!CLI)|DECORUM_|VITEST|NODE_ENV|FORCE_COLOR)/u.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return () => text;
}

function idOf({ pid }: ChildProcess): ProcessId {
  const found = pid === undefined ? undefined : identify(pid);
  if (found === undefined) throw new Error('The command could not be started');
  return found;
}
