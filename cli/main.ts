#!/usr/bin/env node
import { failureOf } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { logFault } from './fault-log.ts';
import { DEFAULT_DATA_FOLDER } from './settings/options.ts';
import type { CommonFlags } from './settings/options.ts';
import { newProgram } from './program.ts';

// A reader that has seen enough (`decorum status | head -1`) is no fault, and needs no more words.
const readerGone = new AbortController();
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    readerGone.abort();
  });
}

process.exit(await run(process.argv));

async function run(argv: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.finished;
  let data = DEFAULT_DATA_FOLDER;
  const program = newProgram({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    readerGone: readerGone.signal,
    ended: (code) => {
      exitCode = code;
    },
  }).hook('preAction', (_, command) => {
    data = command.opts<CommonFlags>().data;
  });
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    return fail(error, data);
  }
}

function fail(error: unknown, data: string): ExitCode {
  const { message, exitCode } = failureOf(error);
  const log = exitCode === EXIT.fault ? logFault(data, error, new Date()) : undefined;
  if (message !== undefined) {
    process.stderr.write(`${message}${log === undefined ? '' : ` (more in ${log})`}\n`);
  }
  return exitCode;
}
