// One try at an operation: done to the end, or taken back so that files and packages are what they were. What an earlier
// job could not finish because the server was killed is settled first.
import type { PythonBackend, Work } from './backend.ts';
import { CommandFailed, runCommand } from './command.ts';
import { isThere } from './files.ts';
import { foreignInProject } from './foreignSources.ts';
import type { PackageLender } from './lending.ts';
import { makeMakeshift, makeshiftWords, mayStandIn, readMakeshift } from './makeshift.ts';
import type { Operation } from './operations.ts';
import { projectFileName, readProjectText } from './projectFile.ts';
import { pythonFits } from './pythonFits.ts';
import type { FindPythons, InstalledPython } from './pythons.ts';
import type { RTools } from './renv.ts';
import { type Survey, surveyEnvironment } from './survey.ts';
import { createUndo } from './undo.ts';
import { isUnreachable, type Shell } from './uv.ts';

export interface Attempts {
  /** Undefined when all went well, else what to say of it. */
  attempt(operation: Operation, signal: AbortSignal): Promise<string | undefined>;
}

export interface AttemptParts {
  readonly directory: string;
  readonly backend: PythonBackend;
  readonly r: RTools;
  readonly pythons: FindPythons;
  /** Whether packages may come from where the project says. */
  readonly mayUseAddresses: boolean;
  /** Undefined where nothing is lent. */
  readonly lender?: PackageLender | undefined;
  readonly hear: (stream: 'stdout' | 'stderr', line: string) => void;
  /** The notebook is being closed: nobody will use its environment. */
  readonly isLeaving: () => boolean;
}

const cancelled = 'Cancelled before it finished; the environment is as it was.';
const repairMilliseconds = 60_000;

/** Where nobody answered last time, another answer or none is soon known; what the operator set holds. */
const impatient = (): NodeJS.ProcessEnv => ({
  UV_HTTP_RETRIES: process.env.UV_HTTP_RETRIES ?? '1',
  UV_HTTP_CONNECT_TIMEOUT: process.env.UV_HTTP_CONNECT_TIMEOUT ?? '5',
});

const foreignWords = (foreign: string): string =>
  `${projectFileName} says where packages come from (${foreign}): this server takes them from its index only. Take that out of the file, then bring the notebook in again.`;

export const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function createAttempts(parts: AttemptParts): Attempts {
  const { directory, backend, r, pythons, mayUseAddresses, lender, hear, isLeaving } = parts;
  const undo = createUndo(directory);
  /** A job failed, as was answered, and what it left could not be taken back then: the disk took no writes, say. A server that is
   * started anew no longer knows, and does it to its end. */
  let isOwed = false;

  const shellFor = (signal: AbortSignal): Shell => ({
    signal,
    run: (command) => runCommand(command, { signal, onLine: hear, onStart: undo.working }),
    note: (line) => hear('stderr', line),
  });

  async function readableProject(): Promise<Survey> {
    const survey = await surveyEnvironment(directory);
    if (survey.problem !== null) throw new Error(survey.problem);
    const foreign = mayUseAddresses ? undefined : foreignInProject(await readProjectText(directory));
    if (foreign !== undefined) throw new Error(foreignWords(foreign));
    return survey;
  }

  async function workWith(shell: Shell, env: NodeJS.ProcessEnv = {}): Promise<Work> {
    const { requiresPython } = await readableProject();
    const fits = ({ fullVersion }: InstalledPython): boolean => pythonFits(requiresPython, fullVersion);
    const offered = await pythons(fits);
    const python = offered.find(fits);
    if (python) return { directory, python, shell, env };
    const there = offered.map(({ version }) => version).join(', ') || 'none';
    throw new Error(
      `No Python for requires-python "${requiresPython}" is offered here (offered: ${there}). Install one, or choose another version for this notebook.`,
    );
  }

  async function takeBack(): Promise<void> {
    isOwed = true;
    await undo.restore();
    isOwed = false;
  }

  /** A crash cut a job short. What it wanted is done to the end where that is possible, and taken back otherwise. */
  async function settleCutShort(shell: Shell, signal: AbortSignal): Promise<void> {
    if (!(await undo.isPending())) return;
    await undo.endLeftover();
    try {
      if (isOwed) await takeBack();
      await backend.sync(await workWith(shell));
    } catch {
      signal.throwIfAborted();
      shell.note('A change that was cut short cannot be finished and is taken back.');
      await takeBack();
    }
    await undo.forget();
  }

  /** A job that ended in the middle may have left packages half installed. */
  async function repair(): Promise<void> {
    if (isLeaving() || !(await isThere(`${directory}/uv.lock`)) || (await readMakeshift(directory))) return;
    const signal = AbortSignal.timeout(repairMilliseconds);
    const run: Shell['run'] = (command) => runCommand(command, { signal, onLine: () => {} });
    const quiet: Shell = { signal, run, note: () => {} };
    try {
      await backend.repair(await workWith(quiet));
    } catch (error) {
      hear('stderr', `The environment from before may need a sync: ${inWords(error)}`);
    }
  }

  /** Where there is no environment, cells shall run all the same; one from before is left alone. */
  async function standIn(shell: Shell, error: unknown): Promise<string | undefined> {
    if (!(await mayStandIn(directory))) return undefined;
    try {
      await undo.setAsideVenv();
      shell.note('No package index can be reached; an environment is made with what is here.');
      const work = await workWith(shell);
      const { requirements } = await readableProject();
      const made = await makeMakeshift(work, { backend, lender, requirements });
      return makeshiftWords(made, requirements, inWords(error));
    } catch (second) {
      if (!shell.signal.aborted) shell.note(`It could not be made: ${inWords(second)}`);
      await undo.restore();
      return undefined;
    }
  }

  return {
    async attempt(operation, signal) {
      const shell = shellFor(signal);
      try {
        await settleCutShort(shell, signal);
        if (operation.language === 'python') await readableProject();
        await undo.keep();
        // What stands in for the environment is never added to: it is replaced whole, or put back.
        const isReplaced = operation.language === 'python' && (await readMakeshift(directory)) !== undefined;
        if (isReplaced) await undo.setAsideVenv();
        const work = (): Promise<Work> => workWith(shell, isReplaced ? impatient() : {});
        await operation.perform({ directory, backend, r, undo, shell, work });
        await undo.forget();
        return undefined;
      } catch (error) {
        await takeBack();
        const makeshift = operation.action === 'sync' && isUnreachable(error) ? await standIn(shell, error) : undefined;
        if (makeshift === undefined) await repair();
        await undo.forget();
        if (signal.aborted) return cancelled;
        if (makeshift !== undefined) return makeshift;
        return operation.language === 'r' && error instanceof CommandFailed ? error.reason : inWords(error);
      }
    },
  };
}
