import { resolve } from 'node:path';
import type { Command } from 'commander';
import { connectDatabase } from '../../db/pool.ts';
import type { Finding } from '../../workers/doctor/finding.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { findingJson, findingLines, tallyLine, tallyOf } from '../views/doctor-view.ts';
import { EXIT } from '../exit-codes.ts';
import { listenForInterrupts } from '../interrupts.ts';
import type { CommandIo } from '../io.ts';
import type { CommonFlags } from '../settings/options.ts';
import { closing, terminalFor, withSession } from '../session.ts';
import { configReader } from '../settings/settings-in-force.ts';
import type { Terminal } from '../views/terminal.ts';

interface DoctorFlags extends CommonFlags {
  readonly deep?: true;
}

/** `doctor`: what Decorum stands on, what is wrong with it, and the remedy. */
export function doctorCommand(io: CommandIo): Command {
  const command = newCommand('doctor', {
    description:
      'Look at all that Decorum needs, and say what is wrong and the remedy. Starts and changes nothing. Exits with 2 where it finds a fault; warnings are none.',
    examples: [
      ['decorum doctor', 'Node, settings, data folder, servers, ports, disk, limits'],
      ['decorum doctor --deep', 'and every row against every count'],
      ['decorum doctor --json', 'for machines: a finding a line, then their number'],
    ],
  }).option(
    '--deep',
    'compare every row of every crawl with every count (a few scans of all tables); starts the embedded Postgres if it does not run, as "status" does',
  );
  return withCommonOptions(command).action(async (flags: DoctorFlags) => {
    const terminal = terminalFor(flags, io);
    const findings: Finding[] = [];
    const hear = (finding: Finding): void => {
      findings.push(finding);
      show(terminal, flags, finding);
    };
    const { examine } = await import('../../workers/doctor/examine.ts');
    const dataDir = resolve(flags.data);
    const readConfig = await configReader(flags);
    for await (const finding of examine({ dataDir, readConfig })) hear(finding);
    const isWhole = flags.deep !== true || (await lookDeep(flags, io, hear));
    const tally = tallyOf(findings);
    terminal.print(
      flags.json === true ? JSON.stringify({ kind: 'doctor', ...tally }) : tallyLine(tally),
    );
    if (isWhole) io.ended(tally.faults > 0 ? EXIT.usage : EXIT.finished);
    else io.ended(EXIT.interrupted);
  });
}

function show(terminal: Terminal, { json }: CommonFlags, finding: Finding): void {
  if (json === true) {
    terminal.print(findingJson(finding));
    return;
  }
  const width = terminal.isLive ? terminal.width() : Infinity;
  findingLines(finding, { width, colours: terminal.colours }).forEach(terminal.print);
}

/** Compares the rows of the database that runs, else starts our own for it. `false` where it was interrupted. */
async function lookDeep(
  flags: DoctorFlags,
  io: CommandIo,
  hear: (finding: Finding) => void,
): Promise<boolean> {
  const { whereToLook } = await import('../../workers/doctor/where-to-look.ts');
  const place = await whereToLook(resolve(flags.data), await configReader(flags));
  switch (place.kind) {
    case 'nowhere':
      hear(place.finding);
      return true;
    case 'running':
      return lookInto(flags, io, place.databaseUrl, hear);
    case 'stopped':
      return withSession(flags, { need: 'database' }, io, ({ servers }) =>
        lookInto(flags, io, servers.databaseUrl, hear),
      );
  }
}

async function lookInto(
  flags: DoctorFlags,
  io: CommandIo,
  databaseUrl: string,
  hear: (finding: Finding) => void,
): Promise<boolean> {
  const { deepFindings } = await import('../../workers/doctor/deep.ts');
  const { dataFolderAt } = await import('../../workers/data-folder.ts');
  const { note } = terminalFor(flags, io);
  const warcFolder = dataFolderAt(flags.data).warc;
  const interrupts = listenForInterrupts();
  const db = connectDatabase(databaseUrl, { max: 1, applicationName: 'decorum doctor' });
  try {
    await closing({ close: () => db.end() }, async () => {
      const { signal } = interrupts;
      const order = { db, warcFolder, say: note, signal };
      (await deepFindings(order)).forEach(hear);
    });
    return true;
  } catch (error) {
    if (interrupts.signal.aborted) return false;
    throw error;
  } finally {
    interrupts.stopListening();
  }
}
