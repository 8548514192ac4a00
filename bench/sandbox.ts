// Everything that a measurement leaves outside this process: child processes and temporary folders. Each child leads a
// process group of its own, so that ending it ends what it started; `end` leaves nothing behind.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface StartOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Child {
  readonly pid: number;
  /** Resolves with its status when it has ended; a signal counts as -1. */
  readonly ended: Promise<number>;
  /** The end of what it printed, for a message that explains a failure. */
  lastOutput(): string;
  stop(): Promise<void>;
}

export interface Sandbox {
  start(command: string, args: readonly string[], options: StartOptions): Promise<Child>;
  folder(): string;
  /** At once, without waiting: also for the moment in which this process is told to end. */
  end(): void;
}

export function createSandbox(): Sandbox {
  const children = new Set<ChildProcess>();
  const folders = new Set<string>();

  async function start(command: string, args: readonly string[], { cwd, env }: StartOptions): Promise<Child> {
    const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    children.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-2000);
      });
    }
    const { promise: ended, resolve } = Promise.withResolvers<number>();
    child.once('exit', (code) => {
      killGroup(child);
      children.delete(child);
      resolve(code ?? -1);
    });
    const pid = await new Promise<number>((started, failed) => {
      child.once('error', failed);
      child.once('spawn', () => started(child.pid ?? 0));
    });
    return {
      pid,
      ended,
      lastOutput: () => output.trim(),
      async stop() {
        killGroup(child);
        await ended;
      },
    };
  }

  return {
    start,
    folder() {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'));
      folders.add(folder);
      return folder;
    },
    end() {
      for (const child of children) killGroup(child);
      for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      folders.clear();
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Gone already, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
