import { copyFileSync, existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const KEPT = 3;
const ROTATE_ABOVE_BYTES = 1_000_000;
const BOUND_BYTES = 20_000_000;

/** The file to log to: `<name>.log`; a long one of earlier runs steps back to `<name>.1.log`, and so on, three kept. */
export function rotatedLog(folder: string, name: string): string {
  const file = join(folder, `${name}.log`);
  if (sizeOf(file) > ROTATE_ABOVE_BYTES) {
    stepBack(folder, name);
    renameSync(file, join(folder, `${name}.1.log`));
  }
  return file;
}

/**
 * Cuts every log that has grown past 20 MB while its writer has it open: the text moves to `<name>.1.log`. Writers
 * append, so they go on at the new end.
 */
export function boundLogs(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const name = /^([^.]+)\.log$/.exec(entry)?.[1];
    if (name === undefined || sizeOf(join(folder, entry)) <= BOUND_BYTES) continue;
    stepBack(folder, name);
    copyFileSync(join(folder, entry), join(folder, `${name}.1.log`));
    truncateSync(join(folder, entry));
  }
}

function stepBack(folder: string, name: string): void {
  for (let age = KEPT - 1; age >= 1; age -= 1) {
    const file = join(folder, `${name}.${age}.log`);
    if (existsSync(file)) renameSync(file, join(folder, `${name}.${age + 1}.log`));
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
