import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessId {
  readonly pid: number;
  /** When it started, in the system's own words; compared, never read. */
  readonly startedAt: string;
}

/** Names a living process; `undefined` where there is none (a zombie counts as none). */
export function identify(pid: number): ProcessId | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process still lives. */
export function isAlive({ pid, startedAt }: ProcessId): boolean {
  return identify(pid)?.startedAt === startedAt;
}

/** Sends a signal to exactly this process; `false` where it is gone already or is not ours to signal. */
export function signalProcess(target: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isAlive(target)) return false;
  try {
    return process.kill(target.pid, signal);
  } catch {
    return false;
  }
}

/** Waits for a process to end; `false` where it outlived the limit. */
export async function hasEnded(target: ProcessId, limitMs: number): Promise<boolean> {
  return within(limitMs, () => !isAlive(target));
}

/** Asks `holds` again and again; `false` where it did not come true before the limit. */
export async function within(
  limitMs: number,
  holds: () => boolean | Promise<boolean>,
  everyMs = 50,
): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(everyMs);
  }
}

/** One step of ending a process: a signal, and how long to wait for it to work. */
export interface EndingStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/** Ends a process by ever harsher signals, and returns once it is gone. */
export async function endProcess(target: ProcessId, steps: readonly EndingStep[]): Promise<void> {
  for (const { signal, waitMs } of steps) {
    signalProcess(target, signal);
    if (await hasEnded(target, waitMs)) return;
  }
  throw new Error(`Process ${target.pid} outlived ${steps.map(({ signal }) => signal).join(', ')}`);
}

/** The living processes whose command line holds the given text. */
export function processesWith(text: string): readonly ProcessId[] {
  return commandLines()
    .filter(([, command]) => command.includes(text))
    .map(([pid]) => identify(pid))
    .filter((found) => found !== undefined);
}

function commandLines(): readonly (readonly [number, string])[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), readOrEmpty(`/proc/${name}/cmdline`).replaceAll('\0', ' ')]);
  }
  return execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+) (.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => [Number(match[1]), match[2] ?? '']);
}

function startOnLinux(pid: number): string | undefined {
  // The name may hold spaces and brackets; the fields that count follow the last bracket.
  const fields = readOrEmpty(`/proc/${pid}/stat`).split(')').at(-1)?.trim().split(' ') ?? [];
  const [state, ticks] = [fields[0], fields[19]];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  return `${readOrEmpty('/proc/sys/kernel/random/boot_id').trim()}/${ticks}`;
}

function startByPs(pid: number): string | undefined {
  try {
    const columns = ['-o', 'state=,lstart=', '-p', String(pid)];
    const line = execFileSync('ps', columns, { encoding: 'utf8', stdio: 'pipe' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
