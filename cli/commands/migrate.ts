import type { Command } from 'commander';
import type { MigrationReport, SchemaState } from '../../db/migrate.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { hint } from '../hints.ts';
import { listenForInterrupts } from '../interrupts.ts';
import type { CommandIo } from '../io.ts';
import type { CommonFlags } from '../settings/options.ts';
import { counted } from '../views/quantities.ts';
import { requireCrawls, terminalFor } from '../session.ts';
import { configInForce } from '../settings/settings-in-force.ts';
import type { Terminal } from '../views/terminal.ts';

interface MigrateFlags extends CommonFlags {
  readonly check?: true;
}

/** `migrate`: brings the database to this version's schema. */
export function migrateCommand(io: CommandIo): Command {
  const command = newCommand('migrate', {
    description:
      "Bring the database to this version's schema. Every command that uses it does so too; a newer schema is refused.",
    examples: [
      ['decorum migrate', 'the database of DATABASE_URL, else the one in the data folder'],
      ['decorum migrate --check', 'changes nothing; exit code 2 where something is to be applied'],
    ],
  }).option('--check', 'only say what would be applied; exit code 2 where that is something');
  return withCommonOptions(command).action(async (flags: MigrateFlags) => {
    await requireCrawls(flags);
    // A Postgres of our own that is started for this must be stopped again, whatever is typed meanwhile.
    const interrupts = listenForInterrupts(() => undefined);
    try {
      io.ended(await migrate(flags, terminalFor(flags, io)));
    } finally {
      interrupts.stopListening();
    }
  });
}

async function migrate(flags: MigrateFlags, terminal: Terminal): Promise<ExitCode> {
  const { withBareDatabase } = await import('../../workers/embedded-database.ts');
  const { checkDatabase, prepareDatabase } = await import('../../workers/prepare-database.ts');
  const config = await configInForce(flags);
  const isNamed = config.databaseUrl !== undefined;
  const order = { dataDir: flags.data, config, say: terminal.note };
  return withBareDatabase(order, async (databaseUrl) => {
    if (flags.check === true) {
      return sayState(terminal, flags, await checkDatabase(databaseUrl, { isNamed }));
    }
    sayReport(terminal, flags, await prepareDatabase(databaseUrl, { isNamed }));
    return EXIT.finished;
  });
}

function sayState(
  terminal: Terminal,
  { json, data }: MigrateFlags,
  { applied, pending }: SchemaState,
): ExitCode {
  const at = applied.at(-1);
  if (json === true) {
    const names = pending.map(versionOf);
    terminal.print(
      JSON.stringify({
        kind: 'schema',
        at: at === undefined ? null : versionOf(at),
        pending: names,
      }),
    );
  } else if (pending.length === 0) terminal.print(`up to date: ${nameOf(at)}`);
  else {
    terminal.print(`${nameOf(at)}; ${counted(pending.length, 'migration')} to apply:`);
    for (const name of pending) terminal.print(`  ${versionOf(name)}`);
    terminal.print(`apply with: ${hint(['migrate'], data)}`);
  }
  return pending.length === 0 ? EXIT.finished : EXIT.usage;
}

function sayReport(terminal: Terminal, { json }: MigrateFlags, report: MigrationReport): void {
  const { from, to, applied } = report;
  if (json === true) {
    terminal.print(
      JSON.stringify({
        kind: 'migrated',
        from: from === undefined ? null : versionOf(from),
        to: to === undefined ? null : versionOf(to),
        applied: applied.map(versionOf),
      }),
    );
  } else if (applied.length === 0) terminal.print(`up to date: ${nameOf(to)}`);
  else {
    terminal.print(`migrated from ${nameOf(from)} to ${nameOf(to)}; applied:`);
    for (const name of applied) terminal.print(`  ${versionOf(name)}`);
  }
}

function nameOf(migration: string | undefined): string {
  return migration === undefined ? 'an empty database' : versionOf(migration);
}

function versionOf(migration: string): string {
  return migration.replace(/\.sql$/, '');
}
