// One R process: started in a folder with a policy's environment.
import { rFolder } from '../../places.ts';
import { type CellProcess, startCellProcess } from '../cellProcess.ts';
import type { CellUser } from '../cellUser.ts';
import { type CellPolicy, cellEnvironment } from '../environment.ts';

export interface RProcessOptions {
  readonly rscript: string;
  readonly program: 'analyse.R' | 'harness.R';
  /** Undefined: a folder of its own, where nobody else has put anything that R would read. */
  readonly cwd?: string | undefined;
  readonly policy: CellPolicy;
  /** Undefined: the server's own. */
  readonly user: CellUser | undefined;
}

/** R can write to no pipe but its own; what it says when it waits comes by a named one. */
const withReadyPipe = `mkfifo "$TMPDIR/ready"
(exec cat "$TMPDIR/ready" >&4) 2>/dev/null &
exec 4>&-; exec "$@"`;

/** What renv would say of the library when it starts would stand in front of every cell's own words. */
const quietRenv = { RENV_CONFIG_STARTUP_QUIET: 'TRUE', RENV_CONFIG_SYNCHRONIZED_CHECK: 'FALSE' };

/** What an R that is started now finds in its environment, but for its temporary folder. */
export function rEnvironment({ policy, user }: Pick<RProcessOptions, 'policy' | 'user'>): Record<string, string> {
  return { ...quietRenv, ...cellEnvironment(policy), ...user?.env };
}

export const startR = (options: RProcessOptions): Promise<CellProcess> =>
  startCellProcess({
    command: ['/bin/sh', '-c', withReadyPipe, 'sh', ...commandOf(options)],
    cwd: options.cwd,
    env: rEnvironment(options),
    user: options.user,
    limits: options.policy.limits,
  });

/** Nothing that is read when R starts, but for R's own, may come from whoever wrote the source that is analysed. */
function commandOf({ rscript, program }: RProcessOptions): string[] {
  const bare = program === 'analyse.R' ? ['--no-init-file', '--no-environ'] : [];
  return [rscript, ...bare, `${rFolder}/${program}`, rFolder];
}
