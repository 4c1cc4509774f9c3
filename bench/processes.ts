import { readFileSync } from 'node:fs';

import { processTreeOf } from '../test/e2e/support/process-tree.ts';

/** Resident memory in kB; of Linux only. A process's threads are in it, its children are not. @throws where it is gone. */
export function residentKb(pid: number): number {
  return field(readFileSync(`/proc/${String(pid)}/status`, 'utf8'), 'VmRSS');
}

/** A process and all below it, in kB; pages that several share are counted once. */
export function residentKbOfTree(pid: number): number {
  return sumOverTree(pid, (one) =>
    field(readFileSync(`/proc/${String(one)}/smaps_rollup`, 'utf8'), 'Pss'),
  );
}

/** Processor time of a process and all below it so far, in milliseconds, with that of children that have ended. */
export function cpuMsOfTree(pid: number): number {
  return sumOverTree(pid, cpuMs);
}

// Linux counts in ticks of a hundredth of a second, whatever the kernel's own.
const TICK_MS = 10;

function cpuMs(pid: number): number {
  // The name may hold spaces and brackets; the fields after the last bracket are numbered from 3 (proc(5)).
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(')')
      .at(-1)
      ?.trim()
      .split(' ') ?? [];
  const ticks = fields.slice(11, 15).map(Number);
  return TICK_MS * ticks.reduce((sum, part) => sum + part, 0);
}

function sumOverTree(pid: number, measure: (pid: number) => number): number {
  return processTreeOf(pid).reduce((sum, one) => sum + orNothing(() => measure(one)), 0);
}

/** What ended in the meantime counts for nothing. */
function orNothing(measure: () => number): number {
  try {
    return measure();
  } catch {
    return 0;
  }
}

function field(text: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'mu').exec(text)?.[1];
  if (found === undefined) throw new Error(`The system tells no ${name}`);
  return Number(found);
}
