import { createInterface } from 'node:readline';
import type { CommandIo } from '../io.ts';

/** Whether there is a person who could be asked: a terminal to read from, and one to ask on. */
export function canAsk({ stdin, stderr }: CommandIo): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on standard error, also with `--quiet`. Only `y` or `yes` is a yes; the end of input and an interrupt are not. */
export async function confirmed(
  question: string,
  { stdin, stderr }: CommandIo,
  interrupted: AbortSignal,
): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const leave = (): void => {
    lines.close();
  };
  interrupted.addEventListener('abort', leave);
  try {
    if (interrupted.aborted) return false;
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    interrupted.removeEventListener('abort', leave);
    lines.close();
  }
}
