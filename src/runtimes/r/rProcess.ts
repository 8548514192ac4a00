// One R process: started in a folder with a policy's environment, in a group of its own that is ended whole. Its temporary
// files lie in a folder of its own and go with it: an R that is killed would leave them.
import { type ChildProcess, spawn } from 'node:child_process';
import { processFolders } from '../../files/index.ts';
import { rFolder } from '../../places.ts';
import { cellEnvironment, type EnvironmentPolicy } from '../environment.ts';

export interface RProcessOptions {
  readonly rscript: string;
  readonly program: 'analyse.R' | 'harness.R';
  readonly args: readonly string[];
  readonly cwd: string;
  readonly policy: EnvironmentPolicy;
  readonly input?: string;
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void;
  readonly signal: AbortSignal;
}

/** The fourth pipe ends with this process, however it ends: then the whole group goes. */
const withLifeline = '(cat <&3 >/dev/null 2>&1; kill -KILL 0) & exec 3<&-; exec "$@"';

/** What renv would say of the library when it starts would stand in front of every cell's own words. */
const quietRenv = { RENV_CONFIG_STARTUP_QUIET: 'TRUE', RENV_CONFIG_SYNCHRONIZED_CHECK: 'FALSE' };

export interface REnding {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

const temporary = processFolders('svc-r');
let swept: Promise<void> | undefined;

/** Resolves when nothing of it is left; rejects when it could not start. */
export async function runR(options: RProcessOptions): Promise<REnding> {
  swept ??= temporary.sweep();
  await swept;
  const folder = await temporary.take();
  try {
    return await started(options, folder);
  } finally {
    // What cannot be removed now goes when the next server sweeps.
    await temporary.drop(folder).catch(() => {});
  }
}

function started(options: RProcessOptions, temporaryFolder: string): Promise<REnding> {
  const { promise, resolve, reject } = Promise.withResolvers<REnding>();
  const command = [options.rscript, `${rFolder}/${options.program}`, rFolder, ...options.args];
  const child = spawn('/bin/sh', ['-c', withLifeline, 'sh', ...command], {
    cwd: options.cwd,
    env: { ...quietRenv, ...cellEnvironment(options.policy), TMPDIR: temporaryFolder },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const stop = (): void => endGroup(child);
  options.signal.addEventListener('abort', stop, { once: true });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  child.stdout.on('data', (bytes: Buffer) => options.onOutput('stdout', bytes));
  child.stderr.on('data', (bytes: Buffer) => options.onOutput('stderr', bytes));
  child.on('error', reject);
  // What it left running may hold the pipes open.
  child.on('exit', stop);
  child.on('close', (status, signal) => {
    options.signal.removeEventListener('abort', stop);
    resolve({ status, signal });
  });
  if (options.signal.aborted) stop();
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
