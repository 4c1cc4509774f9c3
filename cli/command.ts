import { Command } from 'commander';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import { commonOptions } from './settings/options.ts';

/** What a command's help begins and ends with. */
export interface CommandTexts {
  readonly description: string;
  /** Command lines with what each does, shown at the end. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

/** A command with our manners: the common options, examples and exit codes in its help. */
export function newCommand(name: string, { description, examples }: CommandTexts): Command {
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`).join('\n');
  const command = new Command(name)
    .description(description)
    .showHelpAfterError(`(see "decorum ${name} --help")`)
    .addHelpText('after', `\nExamples:\n${lines}\n${EXIT_CODES_HELP}`);
  return command;
}

/** Adds the options that every command has, after its own. */
export function withCommonOptions(command: Command): Command {
  for (const option of commonOptions()) command.addOption(option);
  return command;
}
