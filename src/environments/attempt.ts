// One try at an operation: done to the end, or taken back so that files and packages are what they were. What an earlier
// job could not finish because the server was killed is settled first.
import type { PythonBackend, Work } from './backend.ts';
import { CommandFailed, runCommand } from './command.ts';
import { isThere } from './files.ts';
import type { Operation } from './operations.ts';
import { pythonFits } from './pythonFits.ts';
import type { FindPythons, InstalledPython } from './pythons.ts';
import type { RTools } from './renv.ts';
import { type Survey, surveyEnvironment } from './survey.ts';
import { createUndo } from './undo.ts';
import type { Shell } from './uv.ts';

export interface Attempts {
  /** Undefined when all went well, else what to say of it. */
  attempt(operation: Operation, signal: AbortSignal): Promise<string | undefined>;
}

export interface AttemptParts {
  readonly directory: string;
  readonly backend: PythonBackend;
  readonly r: RTools;
  readonly pythons: FindPythons;
  readonly hear: (stream: 'stdout' | 'stderr', line: string) => void;
  /** The notebook is being closed: nobody will use its environment. */
  readonly isLeaving: () => boolean;
}

const cancelled = 'Cancelled before it finished; the environment is as it was.';
const repairMilliseconds = 60_000;

export const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function createAttempts({ directory, backend, r, pythons, hear, isLeaving }: AttemptParts): Attempts {
  const undo = createUndo(directory);

  const shellFor = (signal: AbortSignal): Shell => ({
    signal,
    run: (command) => runCommand(command, { signal, onLine: hear, onStart: undo.working }),
    note: (line) => hear('stderr', line),
  });

  async function readableProject(): Promise<Survey> {
    const survey = await surveyEnvironment(directory);
    if (survey.problem !== null) throw new Error(survey.problem);
    return survey;
  }

  async function workWith(shell: Shell): Promise<Work> {
    const { requiresPython } = await readableProject();
    const fits = ({ fullVersion }: InstalledPython): boolean => pythonFits(requiresPython, fullVersion);
    const offered = await pythons(fits);
    const python = offered.find(fits);
    if (python) return { directory, python, shell };
    const there = offered.map(({ version }) => version).join(', ') || 'none';
    throw new Error(
      `No Python for requires-python "${requiresPython}" is offered here (offered: ${there}). Install one, or choose another version for this notebook.`,
    );
  }

  /** A crash cut a job short. What it wanted is done to the end where that is possible, and taken back otherwise. */
  async function settleCutShort(shell: Shell, signal: AbortSignal): Promise<void> {
    if (!(await undo.isPending())) return;
    await undo.endLeftover();
    try {
      await backend.sync(await workWith(shell));
    } catch {
      signal.throwIfAborted();
      shell.note('A change that was cut short cannot be finished and is taken back.');
      await undo.restore();
    }
    await undo.forget();
  }

  /** A job that ended in the middle may have left packages half installed. */
  async function repair(): Promise<void> {
    if (isLeaving() || !(await isThere(`${directory}/uv.lock`))) return;
    const signal = AbortSignal.timeout(repairMilliseconds);
    const run: Shell['run'] = (command) => runCommand(command, { signal, onLine: () => {} });
    const quiet: Shell = { signal, run, note: () => {} };
    try {
      await backend.repair(await workWith(quiet));
    } catch (error) {
      hear('stderr', `The environment from before may need a sync: ${inWords(error)}`);
    }
  }

  return {
    async attempt(operation, signal) {
      const shell = shellFor(signal);
      try {
        await settleCutShort(shell, signal);
        if (operation.language === 'python') await readableProject();
        await undo.keep();
        await operation.perform({ directory, backend, r, undo, shell, work: () => workWith(shell) });
        await undo.forget();
        return undefined;
      } catch (error) {
        await undo.restore();
        await repair();
        await undo.forget();
        if (signal.aborted) return cancelled;
        return operation.language === 'r' && error instanceof CommandFailed ? error.reason : inWords(error);
      }
    },
  };
}
