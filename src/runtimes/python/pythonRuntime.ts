// Runs cells in a notebook's interpreter: the composition of this room. Plain options in; no settings, no HTTP.

import { tmpdir } from 'node:os';
import { giveTo, makeInside, takeBack } from '../../files/index.ts';
import { type CellUser, type FindUser, findUser } from '../cellUser.ts';
import { type CellPolicy, cellEnvironment } from '../environment.ts';
import type { Place, RunResult, Runtime } from '../runtime.ts';
import { openCompleterIn } from './completer.ts';
import type { ZygoteCommand } from './family.ts';
import { createImportReader, importedModules, rootOf, type SourceText } from './imports.ts';
import { openInspectorIn } from './inspector.ts';
import { openKeeperIn } from './keeper.ts';
import { createKnownModules, type KnownModules, readKnownModules } from './knownModules.ts';
import { createNeeds } from './needs.ts';
import { runInZygote } from './run.ts';
import { environmentStamp } from './stamp.ts';
import { createSuccession } from './succession.ts';
import type { Zygote } from './zygote.ts';

export interface PythonRuntimeOptions {
  readonly interpreter: string;
  /** Cell processes that wait ready; 0: each cell gets a fresh interpreter. */
  readonly warmPoolSize: number;
  readonly policy: CellPolicy;
  /** The user that runs cell code; undefined: the server's own. */
  readonly user?: FindUser | undefined;
  /** The notebook's cells: what they import is loaded ahead. Undefined: what cells have imported before. */
  readonly cells?: (() => readonly SourceText[]) | undefined;
  /** Where is kept what was seen of the environment's modules; undefined: nowhere. */
  readonly modulesFile?: string | undefined;
  /** False while a copy is made of the environment: what is seen then is seen again. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** How much is kept of each stream of a cell's console; undefined: the usual. */
  readonly consoleBytes?: number | undefined;
  /** What interpreters that wait with modules which cannot be forked may take together. */
  readonly spareBytes?: number | undefined;
  /** False where processes must not be forked: each waiting process is then started afresh. */
  readonly fork?: boolean | undefined;
  /** A zygote without a run is ended after this time. */
  readonly idleSeconds?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

export interface PythonRuntime extends Runtime {
  /** The process that all cells come from, for metrics. */
  readonly pid: number | undefined;
}

const DEFAULT_IDLE_SECONDS = 600;
const DEFAULT_SPARE_BYTES = 2 ** 30;
const SPARE_IDLE_MS = 120_000;
/** Somebody came near a cell, and ran none. */
const UNUSED_MS = 120_000;

export function createPythonRuntime(options: PythonRuntimeOptions): PythonRuntime {
  const isWarm = options.warmPoolSize > 0;
  const executionMethod: RunResult['executionMethod'] = isWarm ? 'warm' : 'cold';
  let user: Promise<CellUser> | undefined;

  function cellUser(): Promise<CellUser | undefined> {
    if (options.user === undefined) return Promise.resolve(undefined);
    user ??= findUser(options.user).catch((problem: unknown) => {
      user = undefined; // the user may be created meanwhile
      throw problem;
    });
    return user;
  }

  async function command(): Promise<ZygoteCommand> {
    const owner = await cellUser();
    return {
      interpreter: options.interpreter,
      env: environment(options, owner),
      cwd: tmpdir(),
      user: owner,
      limits: options.policy.limits,
      fork: isWarm && options.fork !== false,
      places: options.warmPoolSize,
    };
  }

  const log = options.log ?? (() => {});
  let modules: Promise<KnownModules> | undefined;
  /** What the notebook's cells name; read from their sources anew, since they are edited. */
  let expected: readonly string[] = [];
  const namedBy = createImportReader();

  function known(): Promise<KnownModules> {
    modules ??= (async () => {
      const file = options.modulesFile;
      const stamp = await environmentStamp(options.interpreter);
      const kept = file === undefined ? [] : await readKnownModules(file, stamp);
      return createKnownModules(file, stamp, kept, log, options.mayWrite);
    })();
    return modules;
  }

  async function refreshExpected(): Promise<void> {
    expected = options.cells === undefined ? (await known()).roots() : namedBy(options.cells());
  }

  const zygotes = createSuccession({
    waiting: !isWarm ? 'none' : options.fork === false ? 'afresh' : 'forked',
    command,
    known,
    expected: () => expected,
    idleMs: (options.idleSeconds ?? DEFAULT_IDLE_SECONDS) * 1000,
    unusedMs: UNUSED_MS,
    spareBytes: options.spareBytes ?? DEFAULT_SPARE_BYTES,
    spareIdleMs: SPARE_IDLE_MS,
    log,
  });
  const needs = createNeeds(() => expected);

  async function lend(...folders: readonly string[]): Promise<void> {
    const owner = await cellUser();
    if (owner !== undefined) for (const folder of folders) await giveTo(owner, folder);
  }

  /** What the server reads of a run was put there by somebody else, who may still run: nothing is swapped under its eyes. */
  async function reclaim(folder: string): Promise<void> {
    if ((await cellUser()) !== undefined) await takeBack(folder);
  }

  /** The user of cells may not be allowed to make their folder. Where it cannot be had, the process says why. */
  async function zygoteAt({ workDir }: Place): Promise<Zygote> {
    await makeInside(workDir)
      .then(() => lend(workDir))
      .catch(() => {});
    return (await zygotes.next([])).zygote;
  }

  /** The next cell that names these packages finds the modules loaded. */
  async function learn(loaded: readonly string[], named: readonly string[]): Promise<void> {
    if (loaded.length === 0 || !isWarm) return;
    (await known()).learn(loaded, named.length === 0 ? [] : [...new Set(named.map(rootOf))]);
    await refreshExpected();
    zygotes.prepare();
  }

  return {
    get pid() {
      return zygotes.current?.pid;
    },
    async warm(source) {
      if (!isWarm) return;
      await refreshExpected();
      await zygotes.warm(importedModules(source));
    },
    async run(job, onEvent, signal) {
      await lend(job.workDir, job.outputDir);
      await refreshExpected();
      const named = await needs.of(job);
      for (;;) {
        const { zygote, afresh } = await zygotes.next(named);
        zygotes.prepare();
        const { result, loaded, unsent } = await runInZygote(
          {
            zygote,
            afresh,
            onImporting: (name) => void learn([name], named),
            onGone: () => zygotes.release(zygote),
            consoleBytes: options.consoleBytes,
            limits: options.policy.limits,
          },
          job,
          onEvent,
          signal,
          executionMethod,
        );
        // It has never heard of the job: it ended while it loaded modules (one that loads fewer takes the job), or another
        // had just taken over from it.
        if (unsent && result.outcome === 'died' && (zygote.isClosing || zygote.modules.size > 0)) continue;
        await reclaim(job.outputDir);
        needs.remember(result.types ?? {});
        await learn(loaded, named);
        return result;
      }
    },
    async openInspector(place) {
      const zygote = await zygoteAt(place);
      return openInspectorIn(zygote, place, () => zygotes.release(zygote));
    },
    async openKeeper(job, signal) {
      const zygote = await zygoteAt(job);
      return openKeeperIn(zygote, job, signal, () => zygotes.release(zygote));
    },
    async openCompleter(place, tools) {
      const zygote = await zygoteAt(place);
      return openCompleterIn(zygote, place, tools, () => zygotes.release(zygote));
    },
    async close() {
      await zygotes.close();
      await (await modules)?.save();
    },
  };
}

const defaults = {
  /** Sets are then stored in the same order each time: a cell that is run again gives the same bytes. */
  PYTHONHASHSEED: '0',
  /** Threads of OpenMP that wait give their core away: other cells run beside them. Spinning, they make each other wait. */
  OMP_WAIT_POLICY: 'passive',
  /** Memory comes in pieces of 2 MiB where the system has them for whoever asks: a process that was forked takes each piece anew. */
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  /** The same in the allocator of polars. */
  _RJEM_MALLOC_CONF: 'thp:always',
};

function environment(options: PythonRuntimeOptions, owner: CellUser | undefined): Record<string, string> {
  const env: Record<string, string> = { ...defaults, ...cellEnvironment(options.policy) };
  return { ...env, ...owner?.env };
}
