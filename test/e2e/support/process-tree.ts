import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** A process and everything below it, the process first; what ended in the meantime is left out. */
export function processTreeOf(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents()) {
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** kill -9 for each, at once. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function parents(): readonly (readonly [pid: number, parent: number])[] {
  if (process.platform !== 'linux') {
    const table = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' });
    return table
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/u).map(Number))
      .map(([pid = 0, parent = 0]) => [pid, parent]);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      const parent = parentOnLinux(name);
      return parent === undefined ? [] : [[Number(name), parent] as const];
    });
}

/** The name may hold spaces and brackets; state and parent follow the last bracket. */
function parentOnLinux(pid: string): number | undefined {
  try {
    const parent = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(')')
      .at(-1)
      ?.trim()
      .split(' ')[1];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
