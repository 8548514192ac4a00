// uv on a notebook. Indexes, caches and certificates are the machine's own settings; which interpreter and which
// environment is ours to say. Where the index cannot be reached, what uv has in its cache is tried.
import { isOwnVariable } from '../settings/index.ts';
import { type Command, CommandFailed, quoted } from './command.ts';

export interface UvSettings {
  readonly program: () => Promise<string>;
  /** Packages that would have to be built run code of their own; a shared server does not let them. */
  readonly mayBuild: boolean;
}

/** Where an operation runs its programs; every line reaches the job. */
export interface Shell {
  /** Aborted when nobody wants the work any more. */
  readonly signal: AbortSignal;
  run(command: Command): Promise<string>;
  /** Tells something that no program said. */
  note(line: string): void;
}

export interface UvCall {
  readonly args: readonly string[];
  /** What is written in the job, where it is less than the arguments. */
  readonly shown?: readonly string[];
  readonly directory: string;
  readonly timeoutSeconds: number;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

const ours = new Set(['VIRTUAL_ENV', 'UV_PROJECT_ENVIRONMENT', 'UV_PYTHON']);

/** What a program that may run code of packages gets: nothing of the server's settings. */
export function programEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ours.has(name) && !isOwnVariable(name));
  return { ...Object.fromEntries(kept), ...more };
}

export async function runUv({ program, mayBuild }: UvSettings, shell: Shell, call: UvCall): Promise<string> {
  const uv = await program();
  const command = (more: readonly string[]): Command => ({
    program: uv,
    args: [...call.args.slice(0, 1), ...more, ...call.args.slice(1)],
    shown: quoted(['uv', ...(call.shown ?? call.args)]),
    directory: call.directory,
    env: programEnvironment({
      UV_PYTHON_DOWNLOADS: process.env.UV_PYTHON_DOWNLOADS ?? 'never',
      ...(mayBuild ? {} : { UV_NO_BUILD: '1' }),
      ...call.env,
    }),
    timeoutSeconds: call.timeoutSeconds,
  });
  try {
    return await shell.run(command([]));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (!isUnreachable(error) || call.args.includes('--offline')) throw advised(error);
    shell.note('The package index cannot be reached; trying with what is in the cache.');
    // What the network said is the reason to tell: that the cache lacks something is only its consequence.
    return shell.run(command(['--offline'])).catch((second: unknown) => {
      throw second instanceof CommandFailed ? advised(error) : second;
    });
  }
}

const unreachable =
  /error sending request|dns error|tcp connect error|operation timed out|network is unreachable|network was disabled|connection (?:refused|reset)|HTTP status server error/i;

/** No package index answered. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof CommandFailed && unreachable.test(error.reason);

/** What to try, by what uv said. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [unreachable, 'Check the network and the index settings (UV_INDEX, UV_DEFAULT_INDEX), then try again.'],
  [/was not found in the package registry/, 'Check how the package is spelled on its index.'],
  [/No solution found/, 'Ask for other versions, or remove the packages that stand against each other.'],
  [/no space left/i, 'Free some space and sync again.'],
  [
    /building (?:source distributions|from source) is disabled/i,
    'This server installs only packages that need no build.',
  ],
];

/** Hints of uv are for its command line, where people can pass options. */
function advised({ message, reason }: CommandFailed): CommandFailed {
  const said = message
    .replace(reason, () => withoutDeprecations(reason))
    .replace(/\n+hint: If you want to add the package regardless[^\n]*/g, '')
    .trimEnd();
  const remedy = remedies.find(([sign]) => sign.test(reason))?.[1];
  return new CommandFailed(remedy === undefined ? said : `${said}\n${remedy}`, reason);
}

/** That a setting of the machine will have another name one day is not why a job failed. Lines that go on are indented. */
function withoutDeprecations(said: string): string {
  const rest = said.replace(/^warning:[^\n]*\bdeprecated\b[^\n]*(?:\n|$)(?:[ \t]+[^\n]*(?:\n|$))*/gm, '').trim();
  return rest === '' ? said : rest;
}
