// `svc completion`: scripts for shells, made from the commands themselves, so that they know what this version knows.
import type { Command } from 'commander';
import { UsageError } from './failure.ts';

interface Known {
  /** The words that lead to a command; empty for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly names: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly { readonly flag: string; readonly about: string }[];
}

const shells: Readonly<Record<string, (known: readonly Known[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function printCompletion(program: Command, shell: string): void {
  const script = shells[shell];
  if (!script) throw new UsageError(`${shell}: one of ${Object.keys(shells).join(', ')}`);
  process.stdout.write(script(knownIn(program, '')));
}

function knownIn(command: Command, path: string): Known[] {
  const below = command.commands.map((one) => ({ name: one.name(), about: one.description() }));
  const options = command.options.flatMap(({ long, description }) =>
    typeof long === 'string' ? [{ flag: long, about: description }] : [],
  );
  const own = { path, about: command.description(), names: below, options };
  return [own, ...command.commands.flatMap((one) => knownIn(one, `${path} ${one.name()}`.trim()))];
}

const wordsOf = ({ names, options }: Known): string =>
  [...names.map(({ name }) => name), ...options.map(({ flag }) => flag), '--help'].join(' ');

function bashScript(known: readonly Known[]): string {
  const paths = known.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  return `# Completion of svc. Load it with: source <(svc completion bash)
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${known.map((one) => `    "${one.path}") words="${wordsOf(one)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc
`;
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

function zshScript(known: readonly Known[]): string {
  const paths = known.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const item = (name: string, about: string): string => quotedForZsh(`${name}:${about.replaceAll(':', '\\:')}`);
  const cases = known.map(({ path, names, options }) => {
    const commands = names.map(({ name, about }) => item(name, about)).join(' ');
    const flags = [...options, { flag: '--help', about: 'what it does' }].map(({ flag, about }) => item(flag, about));
    return `    "${path}") commands=(${commands}) flags=(${flags.join(' ')}) ;;`;
  });
  return `#compdef svc
# Completion of svc. Load it with: source <(svc completion zsh)
_svc() {
  local at="" word
  local -a commands flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o option flags
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
else
  (( $+functions[compdef] )) || { autoload -U compinit && compinit }
  compdef _svc svc
fi
`;
}

const quotedForZsh = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function fishScript(known: readonly Known[]): string {
  const paths = known.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = known.flatMap(({ path, names, options }) => [
    ...names.map(({ name, about }) => `complete -c svc -f -n "__svc_at ${path}" -a ${name} -d ${quoted(about)}`),
    ...options.map(
      ({ flag, about }) => `complete -c svc -n "__svc_at ${path}" -l ${flag.replace(/^--/, '')} -d ${quoted(about)}`,
    ),
  ]);
  return `# Completion of svc. Load it with: svc completion fish | source
function __svc_at
  set -l at
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' $at $word) ${paths.join(' ')}; and set at $at $word
  end
  test "$at" = "$argv"
end
${lines.join('\n')}
`;
}
