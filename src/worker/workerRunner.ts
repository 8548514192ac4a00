// Runs orders in the languages of this machine. Python cells come from zygotes, one for each environment that was asked
// for; R cells get a process each. A cell runs in the locked environment that it brings, or in the worker's own.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { enginePython } from '../../scripts/setup/places.js';
import { createEngine, type Engine, frameText } from '../engine/index.ts';
import type { Log } from '../observability/index.ts';
import { engineProgram } from '../places.ts';
import {
  type CellPolicy,
  createPythonRuntime,
  createRPool,
  modulesFileIn,
  type PythonRuntime,
} from '../runtimes/index.ts';
import { type EnvironmentMode, environmentFor } from './environmentChoice.ts';
import type { CellRunner } from './executions.ts';
import type { LockedEnvironments } from './lockedEnvironments.ts';
import type { LockedLibraries } from './lockedLibraries.ts';
import { namingRemedy } from './missingPackages.ts';
import type { OwnPython } from './ownPython.ts';
import { failed } from './refused.ts';

export interface WorkerRunnerParts {
  readonly policy: CellPolicy;
  /** Which environments the operator lets cells run in. */
  readonly mode: EnvironmentMode;
  readonly own: Pick<OwnPython, 'interpreter'>;
  readonly locked: LockedEnvironments;
  readonly libraries: LockedLibraries;
  readonly rscript: string | undefined;
  /** Where is kept what was seen of the worker's own environment. */
  readonly ownFolder: string;
  readonly log: Log;
}

export interface WorkerRunner extends CellRunner {
  close(): Promise<void>;
}

export function createWorkerRunner({
  policy,
  mode,
  own,
  locked,
  libraries,
  rscript,
  ownFolder,
  log,
}: WorkerRunnerParts): WorkerRunner {
  const runtimes = new Map<string, PythonRuntime>();
  let data: Engine | undefined;

  /** What is seen of modules is kept with a locked environment; the machine's own is not written to. */
  function runtimeOf(interpreter: string, isOwn: boolean): PythonRuntime {
    const known = runtimes.get(interpreter);
    if (known) return known;
    if (isOwn) mkdirSync(ownFolder, { recursive: true });
    const identity = createHash('sha256').update(interpreter).digest('hex').slice(0, 16);
    const made = createPythonRuntime({
      interpreter,
      modulesFile: modulesFileIn(isOwn ? path.join(ownFolder, identity) : path.dirname(path.dirname(interpreter))),
      warmPoolSize: 2,
      policy,
      log: (line) => log.debug(line),
    });
    runtimes.set(interpreter, made);
    return made;
  }

  /** Reads tables for an R that has no Arrow of its own. */
  const frames = frameText(() => {
    data ??= createEngine({
      name: 'data',
      command: enginePython,
      args: ['-I', engineProgram, 'data'],
      log: ({ line }) => log.debug(line, { engine: 'data' }),
    });
    return data;
  });

  return {
    async run(order, job, { onConsole, onBegin }, signal) {
      const isPython = order.language === 'python';
      if (!isPython && order.language !== 'r')
        throw failed(400, `This worker runs no cells in '${order.language.slice(0, 40)}'.`);
      const isOwn = environmentFor(mode, order) === 'own';
      if (isPython) {
        const interpreter = isOwn ? await own.interpreter() : await locked.interpreterOf(order.environment, signal);
        signal.throwIfAborted();
        onBegin();
        const run = await runtimeOf(interpreter, isOwn).run(job, onConsole, signal);
        return isOwn ? namingRemedy(run, interpreter) : run;
      }
      if (rscript === undefined)
        throw failed(
          500,
          'R is not installed on this worker: Rscript is not on its path. Install R, or use another worker.',
        );
      const library = isOwn ? null : await libraries.libraryOf(order.environment, signal);
      signal.throwIfAborted();
      const { runRCell } = await import('../runtimes/r/rRuntime.ts');
      const variables = library === null ? policy.variables : { ...policy.variables, R_LIBS: library };
      const processes = createRPool({
        rscript: () => rscript,
        size: 0,
        directory: job.notebookDir,
        policy: { ...policy, variables },
      });
      onBegin();
      return runRCell({ processes, user: undefined, frames }, job, onConsole, signal);
    },
    async close() {
      await Promise.all([...runtimes.values()].map((runtime) => runtime.close()));
      await data?.close();
    },
  };
}
