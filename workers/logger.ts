import { pino, type Logger } from 'pino';
import type { LogLevel } from './config.ts';

export type { Logger } from 'pino';

/**
 * A log of JSON lines, each with the process's name: to standard output, which a supervisor leads to a file in
 * `logs/`, or straight to a file.
 */
export function createLogger(name: string, level: LogLevel, file?: string): Logger {
  const options = { name, level };
  // Written at once: the last lines before a kill are those that matter.
  return pino(options, pino.destination({ dest: file ?? 1, sync: true }));
}
