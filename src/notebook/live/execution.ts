// From a cell of an open notebook to one run of it: its inputs as they stand, what it reads from outside, its limits. What
// could not succeed is told as a failure with its reason instead of being run.

import path from 'node:path';
import { can } from '../../cellLanguages.ts';
import type { FilePrints } from '../../files/index.ts';
import { failedRun, type Job, type Place, type RunResult } from '../../runtimes/index.ts';
import { type LoopAnnotation, resolveMounts } from '../annotations/index.ts';
import { workFolderName } from '../files/index.ts';
import {
  CellRefused,
  type CellRuntime,
  type CellWork,
  type Lane,
  type Languages,
  type OutsideLook,
  type Weight,
} from '../languages/index.ts';
import type { LookOptions } from '../outside/index.ts';
import {
  type CellEvent,
  type Executed,
  executeCell,
  executeFanout,
  executeLoop,
  type FailedRun,
  inputFiles,
  type KeptParts,
  type Results,
  type RunFolders,
  runWithOutside,
  type TableWriter,
  type TeamCache,
} from '../run/index.ts';
import { type CellWorkParts, createCellWork, type RunChoices } from './cellWork.ts';

export interface Execution {
  /** What the cell reads from outside the notebook, as it is now; undefined when it reads nothing there. */
  look(cellId: string, options: LookOptions): Promise<OutsideLook | FailedRun | undefined>;
  /** The cluster that the cell is bound for; undefined: it runs among all others, or is gone. */
  laneOf(cellId: string): Promise<Lane | undefined>;
  /** How much a run would bring here; undefined when the cell reads nothing from outside. */
  weigh(cellId: string, signal: AbortSignal): Promise<Weight | undefined>;
  execute(cellId: string, options: ExecuteOptions): Promise<Executed>;
  /** Runs the cell's tests on a copy of it. Rejects with CellRefused when they could not run. */
  test(cellId: string, signal: AbortSignal): Promise<RunResult>;
  /** Where a prompt on the cell's inputs would stand. */
  placeOf(cellId: string): Place;
}

export interface ExecuteOptions extends RunChoices {
  readonly onEvent: (event: CellEvent) => void;
  readonly signal: AbortSignal;
  readonly ask: Job['ask'];
  readonly keptFailure: Job['keptFailure'];
  readonly attachesEditors: Job['attachesEditors'];
}

export interface ExecutionParts extends CellWorkParts {
  readonly results: Results;
  readonly folders: RunFolders;
  readonly languages: Languages;
  readonly kept: KeptParts;
  readonly prints: FilePrints;
  /** Undefined where no tables are written. */
  readonly tableWriter: TableWriter | undefined;
  /** Undefined where nobody else's results are asked for. */
  readonly team: TeamCache | undefined;
}

/** How long the tests of one cell may take together. */
const testSeconds = 120;
/** Values of a cell for readers that may never come are worth this much room together. */
const maxUnreadBytes = 256 * 1024 * 1024;

export function createExecution(parts: ExecutionParts): Execution {
  const { directory, store, results, folders, languages } = parts;
  const workDir = path.join(directory, workFolderName);
  const { workOn, runOf, inputsOf } = createCellWork(parts);

  async function executeNow(cellId: string, options: ExecuteOptions): Promise<Executed> {
    const { onEvent, signal, stores } = options;
    const found = workOn(cellId);
    const exports = stores === 'values' ? found.form.travelling : found.form.exports;
    const at = { ...found, work: { ...found.work, exports } };
    const { language } = at.work.cell;
    const { loop } = at.work.annotations;
    const { fanout: group, bodyDigest } = at.form;
    if ((isLoop(loop) || group !== null) && !can(language, 'loop'))
      throw new CellRefused(
        'OnlyPython',
        `Only Python cells run in a loop or once per variant; this one is ${language}.`,
      );
    checkLoop(at.work);
    let engaged: Promise<CellRuntime> | undefined;
    const execute = {
      engage() {
        engaged ??= languages[language].engage(at.work);
        return engaged;
      },
      store,
      results,
      folders,
      kept: parts.kept,
      prints: parts.prints,
      tableWriter: parts.tableWriter,
      team: parts.team,
    };
    const { ask, keptFailure, attachesEditors } = options;
    const run = { ...runOf(at, options), ask, keptFailure, attachesEditors };
    if (isLoop(loop)) return executeLoop(execute, { ...run, loop, bodyDigest, isShareable: false }, onEvent, signal);
    if (group !== null) {
      const lane = await languages[language].laneOf?.(at.work);
      return executeFanout(execute, { ...run, group, lane }, onEvent, signal);
    }
    return executeCell(execute, { ...run, keepsBytes: stores === 'values' ? maxUnreadBytes : 0 }, onEvent, signal);
  }

  return {
    look: (cellId, options) =>
      orRefused(async () => {
        const { work } = workOn(cellId);
        checkLoop(work);
        return languages[work.cell.language].outside?.look(work, options);
      }),
    async laneOf(cellId) {
      if (!parts.now().session.facts.has(cellId)) return undefined;
      const { work } = workOn(cellId);
      return languages[work.cell.language].laneOf?.(work);
    },
    async weigh(cellId, signal) {
      const { work } = workOn(cellId);
      const { outside } = languages[work.cell.language];
      return outside && outside.asks(work) !== null ? outside.weigh(work, signal) : undefined;
    },
    execute: (cellId, options) => orRefused(() => executeNow(cellId, options)),
    async test(cellId, signal) {
      const at = workOn(cellId);
      const { cell } = at.work;
      const runtime = await languages.python.engage(at.work);
      const look = await languages.python.outside?.look(at.work, { signal, mayAsk: true });
      const { inputs, ...run } = runOf(at, { look, useCache: false, stores: 'read' });
      const outputDir = await folders.take();
      const limits = { timeoutSeconds: testSeconds, timeoutLever: `the limit of ${testSeconds} seconds for tests` };
      try {
        return await runWithOutside(
          runtime,
          {
            ...run,
            ...limits,
            inputs: { ...inputFiles(store, inputs), ...run.outside?.inputs },
            outputDir,
            testSource: cell.testSource,
          },
          run.outside,
          () => {},
          signal,
        );
      } finally {
        folders.discard(outputDir);
      }
    },
    placeOf: (cellId) => ({
      inputs: inputFiles(store, inputsOf(cellId)),
      env: parts.now().shape.cells.get(cellId)?.env ?? {},
      workDir,
      notebookDir: directory,
    }),
  };
}

/** Without a number of iterations and a name to carry it is an ordinary cell. */
const isLoop = (loop: LoopAnnotation | null): loop is LoopAnnotation =>
  loop !== null && loop.maxIter > 0 && loop.carry !== '';

/** Refuses a loop before anything is fetched for it. */
function checkLoop(work: CellWork): void {
  const objection = isLoop(work.annotations.loop) ? loopObjection(work) : null;
  if (objection !== null) throw new CellRefused('LoopRefused', objection);
}

/** Why a loop cannot run as it is written; null when it can. Every step reads the same and leaves nothing half done. */
function loopObjection({ annotations, cell, notebook }: CellWork): string | null {
  if (annotations.datasets.length > 0) return 'A loop cannot have @dataset inputs: read them in an earlier cell.';
  if (annotations.fetches.length > 0) return 'A loop cannot have @fetch inputs: fetch in an earlier cell.';
  const mount = resolveMounts(annotations, cell, notebook).find(({ mode }) => mode === 'rw');
  return mount ? `A loop cannot write to a mount, and '${mount.name}' is read-write.` : null;
}

/** What could not have succeeded is a failed run that did not take place. */
async function orRefused<T>(work: () => Promise<T>): Promise<T | FailedRun> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CellRefused)) throw error;
    const { errorType, message, errorCode } = error;
    return {
      run: failedRun(errorType, message, { executionMethod: 'error', errorCode }),
      result: null,
      problem: message,
    };
  }
}
