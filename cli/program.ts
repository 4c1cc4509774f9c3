import { Command } from 'commander';
import { bandsCommand } from './commands/bands.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { crawlCommand } from './commands/crawl.ts';
import { crawlsCommand } from './commands/crawls.ts';
import { doctorCommand } from './commands/doctor.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import { excludeCommand } from './commands/exclude.ts';
import { exportCommand } from './commands/export.ts';
import { hostsCommand } from './commands/hosts.ts';
import type { CommandIo } from './io.ts';
import { migrateCommand } from './commands/migrate.ts';
import { pauseCommand } from './commands/pause.ts';
import { policyCommand } from './commands/policy.ts';
import { rebandCommand } from './commands/reband.ts';
import { resumeCommand } from './commands/resume.ts';
import { robotsCommand } from './commands/robots.ts';
import { seedCommand } from './commands/seed.ts';
import { applyConfigFile } from './settings/settings-in-force.ts';
import { statusCommand } from './commands/status.ts';
import { stopCommand } from './commands/stop.ts';
import { upCommand } from './commands/up.ts';
import { VERSION } from './version.ts';
import { whyCommand } from './commands/why.ts';
import { workerCommand } from './commands/worker.ts';

/** The `decorum` command with all its commands; throws commander's errors instead of leaving the process. */
export function newProgram(io: CommandIo): Command {
  const program = new Command('decorum')
    .description('Crawls a part of the web: durably, politely, the best pages first.')
    .version(VERSION)
    .addHelpText(
      'after',
      `
Examples:
  decorum crawl https://example.com --contact https://you.example/bot
      crawls one site and shows how it goes
  decorum resume
      goes on after a stop or a kill
  decorum why https://example.com/about
      explains one URL
${EXIT_CODES_HELP}`,
    );
  for (const make of [
    crawlCommand,
    resumeCommand,
    stopCommand,
    statusCommand,
    whyCommand,
    robotsCommand,
    pauseCommand,
    policyCommand,
    hostsCommand,
    bandsCommand,
    rebandCommand,
    excludeCommand,
    crawlsCommand,
    exportCommand,
    doctorCommand,
    seedCommand,
    upCommand,
    workerCommand,
    migrateCommand,
    configCommand,
    completionCommand,
  ]) {
    program.addCommand(make(io));
  }
  for (const command of [program, ...program.commands]) speakThrough(command, io);
  return program.hook('preAction', (_, command) => {
    applyConfigFile(command);
  });
}

function speakThrough(command: Command, { stdout, stderr }: CommandIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => Math.min(stdout.columns ?? 100, 100),
    getErrHelpWidth: () => Math.min(stderr.columns ?? 100, 100),
    getOutHasColors: () => stdout.hasColors?.() ?? false,
    getErrHasColors: () => stderr.hasColors?.() ?? false,
  });
}
