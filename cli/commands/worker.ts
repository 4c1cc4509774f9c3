import type { Command } from 'commander';
import type { Config, TemporalTarget } from '../../workers/config.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { listenForInterrupts } from '../interrupts.ts';
import type { CommandIo } from '../io.ts';
import type { CommonFlags } from '../settings/options.ts';
import { closing, terminalFor } from '../session.ts';
import { configInForce } from '../settings/settings-in-force.ts';

/** `worker`: one worker process in the foreground, against servers that others run. */
export function workerCommand(io: CommandIo): Command {
  const command = newCommand('worker', {
    description:
      'Run one worker until Ctrl-C, with the Postgres of DATABASE_URL and the Temporal of TEMPORAL_ADDRESS.',
    examples: [
      ['decorum worker --data /srv/crawls', 'its pages go to /srv/crawls/warc'],
      ['decorum worker --json', 'says when it serves, for machines'],
    ],
  });
  return withCommonOptions(command).action(async (flags: CommonFlags) => {
    io.ended(await work(flags, io));
  });
}

async function work(flags: CommonFlags, io: CommandIo): Promise<ExitCode> {
  const config = await configInForce(flags);
  const servers = namedServers(config);
  const terminal = terminalFor(flags, io);
  const interrupts = listenForInterrupts();
  try {
    const { requireNamedServers } = await import('../../workers/open-servers.ts');
    await requireNamedServers(config, 'everything');
    const { openWorker } = await import('../../workers/lone-worker.ts');
    const worker = await openWorker({ dataDir: flags.data, config, ...servers });
    await closing(worker, async () => {
      const { slot, taskQueue } = worker;
      await worker.serve(interrupts.signal, () => {
        const said = { kind: 'worker', pid: process.pid, taskQueue, slot, ...worker.places };
        if (flags.json === true) terminal.print(JSON.stringify(said));
        else {
          terminal.print(`serving the task queue "${taskQueue}" of ${servers.temporal.address}`);
          terminal.print(`  pages     ${worker.places.warc} (files of "${slot}")`);
          terminal.print(`  log       ${worker.places.log}`);
        }
        interrupts.signal.addEventListener('abort', () => {
          terminal.note('finishing pages in flight (up to 25 s); Ctrl-C again leaves at once');
        });
      });
    });
    return EXIT.interrupted;
  } finally {
    interrupts.stopListening();
  }
}

function namedServers({ databaseUrl, temporal }: Config): {
  readonly databaseUrl: string;
  readonly temporal: TemporalTarget;
} {
  if (databaseUrl !== undefined && temporal !== undefined) return { databaseUrl, temporal };
  const missing = [
    ...(databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(temporal === undefined ? ['TEMPORAL_ADDRESS'] : []),
  ];
  throw new UsageError(
    `A worker serves servers that others run, and ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set: set them, or use "decorum up" for embedded ones.`,
  );
}
