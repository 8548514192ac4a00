// One R process: started in a folder with a policy's environment, in a group of its own that is ended whole. Its temporary
// files lie in a folder of its own and go with it: an R that is killed would leave them.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { processFolders } from '../../files/index.ts';
import { withPipes } from '../../pipes/index.ts';
import { rFolder } from '../../places.ts';
import type { CellUser } from '../cellUser.ts';
import { cellEnvironment, type EnvironmentPolicy } from '../environment.ts';

export interface RProcessOptions {
  readonly rscript: string;
  readonly program: 'analyse.R' | 'harness.R';
  /** Undefined: a folder of its own, where nobody else has put anything that R would read. */
  readonly cwd?: string | undefined;
  readonly policy: EnvironmentPolicy;
  /** Undefined: the server's own. */
  readonly user: CellUser | undefined;
}

export interface RProcess {
  readonly pid: number | undefined;
  /** What it says of itself once it waits for an order; empty when it ended before. */
  readonly ready: Promise<string>;
  /** Resolves when nothing of it is left; rejects when it could not start. */
  readonly ended: Promise<REnding>;
  /** All that it writes, from its beginning. */
  hear(onOutput: (stream: RStream, bytes: Buffer) => void): void;
  say(text: string): void;
  /** Nothing more will be said to it. */
  sayNoMore(): void;
  /** With everything that it started. */
  kill(): void;
}

export type RStream = 'stdout' | 'stderr';

export interface REnding {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The fourth pipe ends with this process, however it ends: then the whole group goes. The fifth tells that R waits. */
const withLifeline = `mkfifo "$TMPDIR/ready"
(cat <&3 >/dev/null 2>&1; kill -KILL 0) 4>&- &
(exec cat "$TMPDIR/ready" >&4) 2>/dev/null 3<&- &
exec 3<&- 4>&-; exec "$@"`;

/** What renv would say of the library when it starts would stand in front of every cell's own words. */
const quietRenv = { RENV_CONFIG_STARTUP_QUIET: 'TRUE', RENV_CONFIG_SYNCHRONIZED_CHECK: 'FALSE' };

const temporary = processFolders('svc-r');
let swept: Promise<void> | undefined;

/** What an R that is started now finds in its environment, but for its temporary folder. */
export function rEnvironment({ policy, user }: Pick<RProcessOptions, 'policy' | 'user'>): Record<string, string> {
  return { ...quietRenv, ...cellEnvironment(policy), ...user?.env };
}

export async function startR(options: RProcessOptions): Promise<RProcess> {
  swept ??= temporary.sweep();
  await swept;
  const { user } = options;
  const folder = await temporary.take();
  if (user) {
    // They go through it, and see nothing of its other folders.
    await fs.chmod(path.dirname(folder), 0o711);
    await fs.chown(folder, user.uid, user.gid);
  }
  const child = withPipes(
    spawn('/bin/sh', ['-c', withLifeline, 'sh', ...commandOf(options)], {
      cwd: options.cwd ?? folder,
      env: { ...rEnvironment(options), TMPDIR: folder },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    }),
  );
  const ended = endOf(child).finally(() =>
    // What cannot be removed now goes when the next server sweeps.
    temporary.drop(folder).catch(() => {}),
  );
  // Told to whoever waits for it.
  ended.catch(() => {});
  child.stdin.on('error', () => {});
  return {
    pid: child.pid,
    ready: textOf(child),
    ended,
    hear: hearing(child),
    say: (text) => child.stdin.write(`${text}\n`),
    sayNoMore: () => child.stdin.end(),
    kill: () => endGroup(child),
  };
}

/** Nothing that is read when R starts, but for R's own, may come from whoever wrote the source that is analysed. */
function commandOf({ rscript, program }: RProcessOptions): string[] {
  const bare = program === 'analyse.R' ? ['--no-init-file', '--no-environ'] : [];
  return [rscript, ...bare, `${rFolder}/${program}`, rFolder];
}

function endOf(child: ChildProcess): Promise<REnding> {
  const { promise, resolve, reject } = Promise.withResolvers<REnding>();
  child.on('error', reject);
  // What it left running may hold the pipes open.
  child.on('exit', () => endGroup(child));
  child.on('close', (status, signal) => resolve({ status, signal }));
  return promise;
}

/** A process that waits may have written before anybody hears. */
function hearing(child: ChildProcess): RProcess['hear'] {
  const early: [RStream, Buffer][] = [];
  let tell = (stream: RStream, bytes: Buffer): void => void early.push([stream, bytes]);
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (bytes: Buffer) => tell(stream, bytes)).on('error', () => {});
  return (onOutput) => {
    tell = onOutput;
    for (const [stream, bytes] of early.splice(0)) onOutput(stream, bytes);
  };
}

function textOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  child.stdio[4]
    ?.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      if (text.endsWith('\n')) resolve(text);
    })
    .on('close', () => resolve(''))
    .on('error', () => {});
  return promise;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
