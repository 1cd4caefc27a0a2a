import { Argument, type Command } from 'commander';
import type { CommandContext } from './program.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function registerCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print completions for a shell')
    .addArgument(new Argument('<shell>', 'which').choices([...SHELLS]))
    .addHelpText(
      'after',
      '\nExamples:\n  assay completion bash > /etc/bash_completion.d/assay\n  assay completion fish > ~/.config/fish/completions/assay.fish',
    )
    .action((shell: (typeof SHELLS)[number]) => context.streams.out(completionScript(program, shell)));
}

/** Commands and options as the program declares them: completions cannot fall behind. */
function completionScript(program: Command, shell: (typeof SHELLS)[number]): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    words: [
      ...command.commands.map((child) => child.name()),
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      ...command.options.flatMap((option) => (option.long === undefined ? [] : [option.long])),
      '--help',
    ],
    description: command.description(),
  }));
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, words }) => `    ${name}) words='${words.join(' ')}' ;;`).join('\n');
  if (shell === 'fish') {
    const lines = commands.flatMap(({ name, words, description }) => [
      `complete -c assay -n __fish_use_subcommand -a ${name} -d '${description.replaceAll("'", '’')}'`,
      `complete -c assay -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
    ]);
    return `${lines.join('\n')}\n`;
  }
  if (shell === 'zsh') {
    return `#compdef assay
_assay() {
  local candidates=''
  if (( CURRENT == 2 )); then candidates='${names} --help --version'
  else case "$words[2]" in
${cases.replaceAll('words=', 'candidates=')}
  esac; fi
  compadd -- \${=candidates}
  _files
}
_assay "$@"
`;
  }
  return `_assay() {
  local words=''
  if [ "$COMP_CWORD" -eq 1 ]; then words='${names} --help --version'
  else case "\${COMP_WORDS[1]}" in
${cases}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _assay assay
`;
}
