import { Argument } from 'commander';
import type { Command } from 'commander';
import { newCommand, withCommonOptions } from '../command.ts';
import { bashScript, fishScript, zshScript } from './completion-scripts.ts';
import type { CompletedCommand, CompletedFlag } from './completion-scripts.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `completion bash|zsh|fish`: a script by which the shell completes commands, flags and choices. */
export function completionCommand(io: CommandIo): Command {
  const command = newCommand('completion', {
    description: 'Print a script by which a shell completes commands, flags and choices.',
    examples: [
      [
        'decorum completion bash > ~/.local/share/bash-completion/completions/decorum',
        'for bash, from the next shell on',
      ],
      ["echo 'source <(decorum completion zsh)' >> ~/.zshrc", 'for zsh, below "compinit"'],
      ['decorum completion fish > ~/.config/fish/completions/decorum.fish', 'for fish'],
    ],
  }).addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)));
  return withCommonOptions(command).action((shell: keyof typeof SHELLS) => {
    io.stdout.write(SHELLS[shell](commandsOf(command)));
    io.ended(EXIT.finished);
  });
}

function commandsOf({ parent }: Command): readonly CompletedCommand[] {
  return (parent?.commands ?? []).map((command) => ({
    name: command.name(),
    description: firstSentence(command.description()),
    flags: [...command.options.map(flagOf), HELP],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }));
}

const HELP: CompletedFlag = {
  name: '--help',
  description: 'show help',
  value: 'none',
  choices: [],
};

function flagOf({
  long,
  description,
  required,
  flags,
  argChoices,
}: Command['options'][number]): CompletedFlag {
  const placeholder = /<(\w+)/.exec(flags)?.[1];
  const kind = placeholder === 'file' || placeholder === 'dir' ? placeholder : 'word';
  return {
    name: long ?? flags,
    description: firstSentence(description),
    value: required ? kind : 'none',
    choices: argChoices ?? [],
  };
}

function firstSentence(text: string): string {
  return text.split(/\.(?= [A-Z])|\.$/)[0] ?? text;
}
