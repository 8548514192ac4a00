// The process of one cell in a language that is not Python: started in a folder, in a group of its own that is ended whole,
// whatever becomes of this one. Its temporary files lie in a folder of its own and go with it: who is killed leaves them.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { processFolders } from '../files/index.ts';
import { withPipes } from '../pipes/index.ts';
import { type CellLimits, limitedCommand } from './cellLimits.ts';
import type { CellUser } from './cellUser.ts';

export interface CellProcessOptions {
  readonly command: readonly string[];
  /** Undefined: a folder of its own, where nobody else has put anything that it would read. */
  readonly cwd?: string | undefined;
  /** Beside `TMPDIR`. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: the server's own. */
  readonly user: CellUser | undefined;
  readonly limits: CellLimits | undefined;
}

export interface CellProcess {
  readonly pid: number | undefined;
  /** The first line that it writes to descriptor 4; empty when it ended before. */
  readonly ready: Promise<string>;
  /** Resolves when nothing of it is left; rejects when it could not start. */
  readonly ended: Promise<ProcessEnding>;
  /** All that it writes, from its beginning. */
  hear(onOutput: (stream: ProcessStream, bytes: Buffer) => void): void;
  say(text: string): void;
  /** Nothing more will be said to it. */
  sayNoMore(): void;
  /** With everything that it started. */
  kill(): void;
}

export type ProcessStream = 'stdout' | 'stderr';

export interface ProcessEnding {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The fourth pipe ends with this process, however it ends: then the whole group goes. */
const withLifeline = `(cat <&3 >/dev/null 2>&1; kill -KILL 0) 4>&- &
exec 3<&-; exec "$@"`;

const temporary = processFolders('svc-cells');
let swept: Promise<void> | undefined;

export async function startCellProcess({ command, cwd, env, user, limits }: CellProcessOptions): Promise<CellProcess> {
  swept ??= temporary.sweep();
  await swept;
  const folder = await temporary.take();
  if (user) {
    // They go through it, and see nothing of its other folders.
    await fs.chmod(path.dirname(folder), 0o711);
    await fs.chown(folder, user.uid, user.gid);
  }
  const [program = '', ...args] = limitedCommand(['/bin/sh', '-c', withLifeline, 'sh', ...command], limits);
  const child = withPipes(
    spawn(program, args, {
      cwd: cwd ?? folder,
      env: { ...env, TMPDIR: folder },
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
    ready: firstLine(child),
    ended,
    hear: hearing(child),
    say: (text) => child.stdin.write(`${text}\n`),
    sayNoMore: () => child.stdin.end(),
    kill: () => endGroup(child),
  };
}

function endOf(child: ChildProcess): Promise<ProcessEnding> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessEnding>();
  child.on('error', reject);
  // What it left running may hold the pipes open.
  child.on('exit', () => endGroup(child));
  child.on('close', (status, signal) => resolve({ status, signal }));
  return promise;
}

/** A process that waits may have written before anybody hears. */
function hearing(child: ChildProcess): CellProcess['hear'] {
  const early: [ProcessStream, Buffer][] = [];
  let tell = (stream: ProcessStream, bytes: Buffer): void => void early.push([stream, bytes]);
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (bytes: Buffer) => tell(stream, bytes)).on('error', () => {});
  return (onOutput) => {
    tell = onOutput;
    for (const [stream, bytes] of early.splice(0)) onOutput(stream, bytes);
  };
}

function firstLine(child: ChildProcess): Promise<string> {
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
