import type { EndReason } from '../domain/crawl-state.ts';

/** What the command tells the shell; documented in the README and in every `--help`. */
export const EXIT = {
  /** The crawl ended by itself, or the command did what it was asked. */
  finished: 0,
  /** Our own fault. */
  fault: 1,
  /** The command line, a seed or a name is wrong, and nothing was started; or `doctor` found what has to be put right. */
  usage: 2,
  /** A budget of pages or time ended the crawl. */
  budget: 3,
  /** Temporal or Postgres could not be reached or started. */
  unreachable: 4,
  /** Ctrl-C, a signal, or `decorum stop` from elsewhere; the crawl can be resumed. */
  interrupted: 130,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of a command that followed a crawl to this end. */
export function exitCodeOf(reason: EndReason): ExitCode {
  switch (reason) {
    case 'finished':
    case 'only retries left':
      return EXIT.finished;
    case 'pages spent':
    case 'time spent':
      return EXIT.budget;
    case 'stopped':
      return EXIT.interrupted;
  }
}

/** Appended to the help of every command. */
export const EXIT_CODES_HELP = `
Exit codes:
  0    finished
  1    a fault of Decorum's own
  2    wrong usage or bad input; nothing was started
  3    ended by a budget (--pages, --time)
  4    Temporal or Postgres cannot be reached
  130  interrupted; the crawl can be resumed`;
