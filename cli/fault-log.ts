import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { rotatedLog } from '../workers/log-files.ts';

/**
 * Writes an error of ours with its stack and causes to `logs/cli.log` of the data folder, and gives the file.
 * `undefined` where there is no such folder, or it cannot be written: the error itself matters more.
 */
export function logFault(data: string, error: unknown, at: Date): string | undefined {
  const folder = join(data, 'logs');
  if (!existsSync(folder)) return undefined;
  try {
    const file = rotatedLog(folder, 'cli');
    appendFileSync(file, `${at.toISOString()} ${inspect(error, { depth: 5 })}\n`);
    return file;
  } catch {
    return undefined;
  }
}
