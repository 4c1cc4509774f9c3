import type { Readable } from 'node:stream';
import type { ExitCode } from './exit-codes.ts';
import type { Screen } from './views/terminal.ts';

/** The process's side of a command, passed in so that commands never reach for it themselves. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Aborts when the reader of standard output has gone (EPIPE). */
  readonly readerGone: AbortSignal;
  /** Takes the exit code of the command that ran. */
  readonly ended: (exitCode: ExitCode) => void;
}
