// How every program of ours reads its arguments and ends: 0, 1 for work that failed, 2 for what the user must change.
import { type Command, CommanderError } from 'commander';
import { endWithReader } from './readers.ts';

export async function runProgram(program: Command): Promise<void> {
  endWithReader();
  const group = groupNamed(program, process.argv.slice(2));
  if (group) return group.outputHelp();
  for (const command of withSubcommands(program)) command.exitOverride();
  let format = '';
  program.hook('preAction', (_program, command) => {
    format = String(command.opts().format);
  });
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else await (await import('./failure.ts')).reportFailure(error, format);
  }
}

/** The group of commands that was named without saying which: its help is what was wanted. */
function groupNamed(command: Command, names: readonly string[]): Command | undefined {
  if (command.commands.length === 0) return undefined;
  const [first, ...others] = names;
  if (first === undefined) return command;
  const next = command.commands.find((one) => one.name() === first);
  return next && groupNamed(next, others);
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];
