// From a cell of an open notebook to one run of it: its inputs as they stand, its declarations as others will read them,
// its limits. What could not succeed is refused with its reason instead of being run.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ArtifactStore } from '../../artifacts/index.ts';
import type { ModuleSlice, Place, RunEvent, Runtime } from '../../runtimes/index.ts';
import { cellOf, type Notebook } from '../document/index.ts';
import { type Executed, executeCell, inputFiles, lostValues, type Results, type RunFolders } from '../run/index.ts';
import { currentKey, type SessionState, type StoredValue } from '../session/index.ts';
import { refusedRun } from './refusedRun.ts';
import type { CellShape, Shape } from './shape.ts';

export interface Execution {
  execute(cellId: string, onEvent: (event: RunEvent) => void, signal: AbortSignal): Promise<Executed>;
  /** Where a prompt on the cell's inputs would stand. */
  placeOf(cellId: string): Place;
}

export interface ExecutionParts {
  readonly directory: string;
  readonly store: ArtifactStore;
  readonly results: Results;
  readonly folders: RunFolders;
  /** The runtime of the environment as it is now; undefined until it is ready. */
  readonly runtime: () => Runtime | undefined;
  /** The declarations of a source, as other cells run them again. */
  readonly moduleSource: (source: string) => Promise<string>;
  /** False on a shared server that has no user to run cells as: only stored results are served then. */
  readonly mayRunHere: boolean;
  readonly codec: 'cloudpickle' | 'pickle';
  /** The notebook as it is when asked. */
  readonly now: () => { readonly notebook: Notebook; readonly session: SessionState; readonly shape: Shape };
}

const noLocalCells =
  'This server runs no cells by itself: set SVC_NOTEBOOK_HARNESS_USER to the user that cells run as, or give the cell a worker.';
const notRun = (language: string): string =>
  language === 'markdown'
    ? 'A markdown cell is text; it is shown and not run.'
    : `Cells in ${language} cannot be run here.`;
const notReady = 'The environment of this notebook is not ready; wait for its job to finish, or look at why it failed.';

export function createExecution(parts: ExecutionParts): Execution {
  const { directory, store, results, folders } = parts;
  const workDir = path.join(directory, 'work');

  /** The values that the cell's wired names stand for now, current or not. */
  function inputsOf(cellId: string): Map<string, StoredValue> {
    const { session } = parts.now();
    const found = new Map<string, StoredValue>();
    for (const { from, variable } of session.graph.wires.get(cellId) ?? []) {
      const value = session.cells.get(from)?.result?.variables[variable];
      if (value) found.set(variable, value);
    }
    return found;
  }

  /** Functions and classes that other cells read go to them as source. */
  async function sliceModules(
    cellId: string,
    source: string,
    { exports }: CellShape,
    inputs: ReadonlyMap<string, StoredValue>,
  ): Promise<Record<string, ModuleSlice>> {
    if (exports.exports.length === 0) return {};
    const declarations = await parts.moduleSource(source);
    // By content, not by address: the same code with the same values is the same thing.
    const injected = Object.fromEntries(exports.injected.map((name) => [name, inputs.get(name)?.sha256 ?? 'own']));
    const slice = { moduleName: `cell_${cellId}`, source: declarations, provenanceHash: null, injected };
    return Object.fromEntries(exports.exports.map(({ name, kind }) => [name, { ...slice, kind }]));
  }

  return {
    async execute(cellId, onEvent, signal) {
      const { notebook, session, shape } = parts.now();
      const facts = session.facts.get(cellId);
      const form = shape.cells.get(cellId);
      const runtime = parts.runtime();
      const { source, language } = cellOf(notebook, cellId);
      if (language !== 'python') return refusedRun('LanguageNotSupported', notRun(language));
      if (!parts.mayRunHere) return refusedRun('LocalCellsRefused', noLocalCells);
      if (!runtime || !facts || !form) return refusedRun('EnvironmentNotReady', notReady);
      if (form.exports.blocked.length > 0) {
        const reasons = form.exports.reasons.join('; ');
        return refusedRun(
          'ModuleExportError',
          `Other cells read from this one what cannot be given to them: ${reasons}.`,
        );
      }
      const inputs = inputsOf(cellId);
      const lost = lostValues(store, inputs);
      if (lost.length > 0)
        return refusedRun(
          'InputLost',
          `The stored bytes of ${lost.join(', ')} are gone; run the cells that make them again.`,
        );
      const moduleSlices = await sliceModules(cellId, source, form, inputs);
      return executeCell(
        { runtime, store, results, folders },
        {
          notebookId: notebook.id,
          cellId,
          source,
          key: currentKey(session, facts) ?? randomUUID(),
          sourceDigest: facts.sourceDigest,
          environmentHash: facts.environmentHash,
          inputs,
          wanted: facts.consumed,
          mutationDefines: form.mutationDefines,
          moduleSlices,
          lent: form.exports.injected,
          env: form.env,
          workDir,
          notebookDir: directory,
          timeoutSeconds: form.timeout.seconds,
          timeoutLever: form.timeout.lever,
          codec: parts.codec,
        },
        onEvent,
        signal,
      );
    },
    placeOf: (cellId) => ({
      inputs: inputFiles(store, inputsOf(cellId)),
      env: parts.now().shape.cells.get(cellId)?.env ?? {},
      workDir,
      notebookDir: directory,
    }),
  };
}
