import type { Command } from 'commander';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { crawlNamed } from './find-crawl.ts';
import type { CommandIo } from '../io.ts';
import { commandOption, crawlOptions, workersOption } from '../settings/options.ts';
import type { CommonFlags } from '../settings/options.ts';
import { requireCrawls, terminalFor, withSession } from '../session.ts';
import { settingsInForce } from '../settings/settings-in-force.ts';
import type { SettingInForce } from '../settings/settings-in-force.ts';
import type { Terminal } from '../views/terminal.ts';

/** `config`: the settings in force, and where each came from. */
export function configCommand(io: CommandIo): Command {
  const command = newCommand('config', {
    description:
      'Print the settings in force and where each came from: a flag, the configuration file, the environment, the crawl, or nowhere. Passwords are not shown.',
    examples: [
      ['decorum config', 'what "decorum crawl" would begin with here'],
      ['decorum config --config decorum.yaml --json', 'of this file, for machines'],
      ['decorum config --name docs', 'with what the crawl "docs" has kept'],
      ['decorum config --min-gap 2s', 'with a flag on top'],
    ],
  })
    .addOption(commandOption('name'))
    .addOption(commandOption('seeds'));
  for (const option of crawlOptions()) command.addOption(option);
  command.addOption(workersOption());
  return withCommonOptions(command).action(async (flags: CommonFlags) => {
    const kept = isNamed(command) ? await keptSettings(flags, io) : undefined;
    const terminal = terminalFor(flags, io);
    print(terminal, flags, await settingsInForce(command, kept));
    io.ended(EXIT.finished);
  });
}

function isNamed(command: Command): boolean {
  return command.getOptionValueSource('name') === 'cli';
}

async function keptSettings(flags: CommonFlags, io: CommandIo): Promise<CrawlSettings> {
  await requireCrawls(flags);
  return withSession(flags, { need: 'database' }, io, async ({ db }) => {
    const { settings } = await crawlNamed(db, flags.name ?? '');
    return settings;
  });
}

function print(
  terminal: Terminal,
  { json }: CommonFlags,
  settings: readonly SettingInForce[],
): void {
  if (json === true) {
    for (const setting of settings) terminal.print(JSON.stringify({ kind: 'setting', ...setting }));
    return;
  }
  const keyWidth = widthOf(settings.map(({ key }) => key));
  const valueWidth = Math.min(40, widthOf(settings.map(shown)));
  for (const setting of settings) {
    const { key, from } = setting;
    terminal.print(`${key.padEnd(keyWidth)}  ${shown(setting).padEnd(valueWidth)}  ${from}`);
  }
}

function shown({ value, unset }: SettingInForce): string {
  return value ?? (unset === undefined ? '-' : `(${unset})`);
}

function widthOf(words: readonly string[]): number {
  return Math.max(...words.map((word) => word.length));
}
