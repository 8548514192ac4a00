// Runs cells in a notebook's interpreter: the composition of this room. Plain options in; no settings, no HTTP.

import { chown, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { cellEnvironment, type EnvironmentPolicy } from '../environment.ts';
import type { Job, Place, RunResult, Runtime } from '../runtime.ts';
import { openCompleterIn } from './completer.ts';
import { openInspectorIn } from './inspector.ts';
import { runInZygote } from './run.ts';
import { createSuccession } from './succession.ts';
import { type CellUser, findUser } from './user.ts';
import type { Zygote, ZygoteCommand } from './zygote.ts';

export interface PythonRuntimeOptions {
  readonly interpreter: string;
  /** Cell processes that wait ready; 0: each cell gets a fresh interpreter. */
  readonly warmPoolSize: number;
  readonly environmentPolicy: EnvironmentPolicy;
  /** Name of the user that runs cell code; undefined: the server's own. */
  readonly user?: string | undefined;
  /** Modules that cells of this notebook import. Those that may be loaded before a fork are. */
  readonly preload?: readonly string[] | undefined;
  /** False where processes must not be forked: each waiting process is then started afresh. */
  readonly fork?: boolean | undefined;
  /** A zygote without a run is ended after this time. */
  readonly idleSeconds?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

export interface PythonRuntime extends Runtime {
  /** Gets ready ahead of the first cell; resolves when it is, or cannot be. */
  warm(): Promise<void>;
  /** The process that all cells come from, for metrics. */
  readonly pid: number | undefined;
}

const DEFAULT_IDLE_SECONDS = 600;

export function createPythonRuntime(options: PythonRuntimeOptions): PythonRuntime {
  const isWarm = options.warmPoolSize > 0;
  const executionMethod: RunResult['executionMethod'] = isWarm ? 'warm' : 'cold';
  let user: Promise<CellUser> | undefined;

  function cellUser(): Promise<CellUser | undefined> {
    if (options.user === undefined) return Promise.resolve(undefined);
    user ??= findUser(options.interpreter, options.user).catch((problem: unknown) => {
      user = undefined; // the user may be created meanwhile
      throw problem;
    });
    return user;
  }

  async function command(preload: readonly string[]): Promise<ZygoteCommand> {
    const owner = await cellUser();
    return {
      interpreter: options.interpreter,
      env: environment(options, owner),
      cwd: tmpdir(),
      user: owner,
      fork: isWarm && options.fork !== false,
      places: options.warmPoolSize,
      preload,
    };
  }

  const zygotes = createSuccession({
    command,
    preload: options.preload ?? [],
    idleMs: (options.idleSeconds ?? DEFAULT_IDLE_SECONDS) * 1000,
    log: options.log ?? (() => {}),
  });

  async function lendOutputDir(job: Job): Promise<void> {
    const owner = await cellUser();
    if (owner !== undefined) await chown(job.outputDir, owner.uid, owner.gid);
  }

  /** The user of cells may not be allowed to make their folder. Where it cannot be had, the process says why. */
  async function zygoteAt({ workDir }: Place): Promise<Zygote> {
    await mkdir(workDir, { recursive: true }).catch(() => {});
    return zygotes.next();
  }

  return {
    get pid() {
      return zygotes.current?.pid;
    },
    warm: () => zygotes.warm(),
    async run(job, onEvent, signal) {
      await lendOutputDir(job);
      for (;;) {
        const zygote = await zygotes.next();
        const { result, loaded, unsent } = await runInZygote(zygote, job, onEvent, signal, executionMethod);
        zygotes.release(zygote, loaded);
        // It died while it loaded modules; the next one loads none.
        if (unsent && result.outcome === 'died' && zygote.preload.length > 0) continue;
        return result;
      }
    },
    async openInspector(place) {
      const zygote = await zygoteAt(place);
      return openInspectorIn(zygote, place, () => zygotes.release(zygote, []));
    },
    async openCompleter(place, packages) {
      const zygote = await zygoteAt(place);
      return openCompleterIn(zygote, place, packages, () => zygotes.release(zygote, []));
    },
    close: () => zygotes.close(),
  };
}

function environment(options: PythonRuntimeOptions, owner: CellUser | undefined): Record<string, string> {
  // Sets are then stored in the same order each time: a cell that is run again gives the same bytes.
  const env: Record<string, string> = { PYTHONHASHSEED: '0', ...cellEnvironment(options.environmentPolicy) };
  if (owner === undefined || options.user === undefined) return env;
  return { ...env, HOME: owner.home, USER: options.user, LOGNAME: options.user };
}
