/** A flag, as a shell completes it. */
export interface CompletedFlag {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  /** What follows it. */
  readonly value: 'none' | 'word' | 'file' | 'dir';
  readonly choices: readonly string[];
}

/** A command, as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  /** Of its argument. */
  readonly choices: readonly string[];
}

/** A completion function for bash 3.2 or newer; plain enough for zsh's `bashcompinit`. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# bash completion for decorum
${completionFunction(commands)}
complete -F _decorum decorum
`;
}

/** The same function, by zsh's own adapter for bash completions. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef decorum
autoload -U +X compinit && (( \${+functions[compdef]} )) || compinit
autoload -U +X bashcompinit && bashcompinit
${completionFunction(commands)}
complete -F _decorum decorum
`;
}

/** One line a completion, with descriptions. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const isTyped = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c decorum -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.description)}`,
      ...(command.choices.length === 0
        ? []
        : [`complete -c decorum -f ${isTyped} -a ${quoted(command.choices.join(' '))}`]),
      ...command.flags.map(
        (flag) =>
          `complete -c decorum ${isTyped} -l ${flag.name.slice(2)}${fishValue(flag)} -d ${quoted(flag.description)}`,
      ),
    ];
  });
  return `# fish completion for decorum\n${lines.join('\n')}\n`;
}

function fishValue({ value, choices }: CompletedFlag): string {
  if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`;
  switch (value) {
    case 'none':
      return '';
    case 'word':
      return ' -x';
    case 'file':
      return ' -r -F';
    case 'dir':
      return " -x -a '(__fish_complete_directories)'";
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, (mark) => `\\${mark}`)}'`;
}

function completionFunction(commands: readonly CompletedCommand[]): string {
  return `_decorum() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W "${['help', ...commands.map(({ name }) => name)].join(' ')} --help --version" -- "$word") )
    return
  fi
  case "$command $before" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${commands.map(flagCase).join('\n')}
    help) COMPREPLY=( $(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word") ) ;;
  esac
}`;
}

/** What may follow a flag of a command. */
function valueCases({ name, flags }: CompletedCommand): readonly string[] {
  return flags
    .filter(({ value }) => value !== 'none')
    .map((flag) => `    "${name} ${flag.name}") ${valueReply(flag)}return ;;`);
}

function valueReply({ value, choices }: CompletedFlag): string {
  if (choices.length > 0) return reply(`-W "${choices.join(' ')}"`);
  if (value === 'file') return reply('-f');
  return value === 'dir' ? reply('-d') : '';
}

function reply(source: string): string {
  return `COMPREPLY=( $(compgen ${source} -- "$word") ); `;
}

function flagCase({ name, flags, choices }: CompletedCommand): string {
  const words = [...choices, ...flags.map((flag) => flag.name)].join(' ');
  return `    ${name}) COMPREPLY=( $(compgen -W "${words}" -- "$word") ) ;;`;
}
