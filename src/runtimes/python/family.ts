// A zygote process and the copies that it grows into: each has a pair of pipes of its own, made when the first is started,
// and all write their log lines to the same two.

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { createLineSplitter, withPipes } from '../../pipes/index.ts';
import { runtimeProgram } from '../../places.ts';
import { type CellLimits, limitedCommand } from '../cellLimits.ts';
import { closedTo } from '../closedTo.ts';
import { attachZygote, type Zygote, type ZygoteListener, type ZygotePipes } from './zygote.ts';

const FIRST_FD = 3;
/** One for the first, the others for copies; when none is left, another family is begun. */
const CHANNELS = 12;
const KEPT_LINES = 20;
const PIPES_AFTER_EXIT_MS = 200;

export interface ZygoteCommand {
  readonly interpreter: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Undefined: the server's own. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly limits: CellLimits | undefined;
  /** Whether cell processes may be forked; otherwise each is started afresh. */
  readonly fork: boolean;
  /** How many cell processes wait ready. */
  readonly places: number;
}

export interface ZygoteFamily {
  readonly first: Zygote;
  /** A copy of `parent` that also loads these modules; undefined when no channel is left. */
  grow(parent: Zygote, modules: readonly string[], listener: ZygoteListener): Zygote | undefined;
  /** Ends one that nobody needs any more. The first stays until it is the last: copies whose parent has ended are its own. */
  retire(zygote: Zygote): void;
  close(): Promise<void>;
}

export function startFamily(
  command: ZygoteCommand,
  listener: ZygoteListener & { onLine(line: string): void },
): ZygoteFamily {
  const { fork, places } = command;
  const channels = fork ? CHANNELS : 1;
  const options = JSON.stringify({ fork, places, channels });
  const [program = '', ...args] = limitedCommand(
    [command.interpreter, runtimeProgram, 'zygote', options],
    command.limits,
  );
  const child = withPipes(
    spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      stdio: ['ignore', 'pipe', 'pipe', ...Array<'pipe'>(2 * channels).fill('pipe')],
      // Not the whole of it: its variables are in `env` already, beside all others.
      ...(command.user ? { uid: command.user.uid, gid: command.user.gid } : {}),
    }),
  );
  const lastLines: string[] = [];
  const living = new Set<Zygote>();
  let used = 1;
  let isResting = false;

  for (const stream of [child.stdout, child.stderr]) {
    const lines = createLineSplitter((line) => {
      lastLines.push(line);
      if (lastLines.length > KEPT_LINES) lastLines.shift();
      listener.onLine(line);
    });
    stream?.on('data', (chunk: Buffer) => lines.push(chunk));
    stream?.on('close', () => lines.end());
    stream?.on('error', () => {});
  }

  /** Pipes that no copy was given are let go with the last of the family. */
  function forget(zygote: Zygote | undefined): void {
    if (zygote !== undefined) living.delete(zygote);
    if (isResting && living.size === 1 && living.has(first)) void first.close();
    if (living.size > 0) return;
    for (const stream of child.stdio) stream?.destroy();
  }

  const first = attachZygote(firstPipes(command, child), new Set(), {
    ...listener,
    onEnd(reason) {
      const wrote =
        first.facts === undefined && lastLines.length > 0 ? `. It last wrote:\n${lastLines.join('\n')}` : '';
      forget(first);
      listener.onEnd(`${reason}${wrote}`);
    },
  });

  living.add(first);
  return {
    first,
    grow(parent, modules, heard) {
      if (used >= channels) return undefined;
      const channel = used;
      used += 1;
      const pipes = { ...pipesOf(child, channel), exit: Promise.resolve('its pipes were closed'), kill: killProcess };
      const grown = attachZygote(pipes, new Set([...parent.modules, ...modules]), {
        ...heard,
        onBorn(pid) {
          for (const zygote of living) if (zygote !== grown) zygote.welcome(pid);
        },
        onEnd(reason) {
          forget(grown);
          heard.onEnd(reason);
        },
      });
      living.add(grown);
      parent.grow(modules, channel);
      return grown;
    },
    retire(zygote) {
      if (zygote !== first || living.size === 1) {
        void zygote.close();
        return;
      }
      isResting = true;
      first.rest();
    },
    async close() {
      await Promise.all([...living].filter((zygote) => zygote !== first).map((zygote) => zygote.close()));
      await first.close();
    },
  };
}

function hintFor(user: { readonly uid: number; readonly gid: number }, interpreter: string): string {
  const closed = closedTo(user, interpreter);
  return closed === undefined
    ? ''
    : `: the user of cells (SVC_NOTEBOOK_HARNESS_USER, uid ${user.uid}) may not enter ${closed}. Open it to that user (chmod o+x), ` +
        'or keep notebooks where others may go (SVC_NOTEBOOK_STORAGE_DIR)';
}

function firstPipes({ interpreter, user }: ZygoteCommand, child: ChildProcess): ZygotePipes {
  const { promise: exit, resolve } = Promise.withResolvers<string>();
  const pipes = pipesOf(child, 0);
  child.on('error', (problem) => {
    if (child.pid !== undefined) return;
    resolve(`${interpreter} could not be run (${problem.message})${user ? hintFor(user, interpreter) : ''}`);
    pipes.reports.destroy();
  });
  child.on('exit', (code, signal) => {
    resolve(signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`);
    // Its pipe may live on in a process that a cell left behind; that one is not waited for.
    setTimeout(() => pipes.reports.destroy(), PIPES_AFTER_EXIT_MS).unref();
  });
  return { ...pipes, exit, kill: () => child.kill('SIGKILL') };
}

function pipesOf(child: ChildProcess, channel: number): Pick<ZygotePipes, 'orders' | 'reports'> {
  const orders = child.stdio[FIRST_FD + 2 * channel];
  const reports = child.stdio[FIRST_FD + 2 * channel + 1];
  if (orders instanceof Writable && reports instanceof Readable) return { orders, reports };
  const gone = new Readable({ read() {} });
  queueMicrotask(() => gone.destroy());
  return { orders: new Writable({ write: (_chunk, _encoding, done) => done() }), reports: gone };
}

function killProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
