// What an open notebook remembers: the results of earlier sessions and of this one, what it was imported with, cells that were
// deleted; and with all of that what stands there now.
import path from 'node:path';
import { createResults, createRunFolders, type KeptResult, type Results, standingAmong } from '../run/index.ts';
import { type Current, openCurrent } from './current.ts';
import { createDeletedCells, type DeletedCells } from './deletedCells.ts';
import { createHistory, type History } from './history.ts';
import { type ImportedOutputs, openImportedOutputs } from './imported.ts';
import { createIterations, type Iterations } from './iterations.ts';
import type { LiveParts } from './live.ts';

export interface Remembered {
  readonly results: Results;
  readonly folders: ReturnType<typeof createRunFolders>;
  /** What was there when the notebook was opened, by cell. */
  readonly kept: ReadonlyMap<string, readonly KeptResult[]>;
  readonly history: History;
  readonly imported: ImportedOutputs;
  readonly deleted: DeletedCells;
  readonly iterations: Iterations;
  readonly current: Current;
  /** The result that a cell shows. */
  shown(cellId: string): KeptResult | undefined;
}

export async function openRemembered(parts: LiveParts): Promise<Remembered> {
  const { notebook, store, notes } = parts;
  const results = createResults(store);
  const cellIds = new Set(notebook.cells.map(({ id }) => id));
  // What is held still is looked at as it is.
  if (!parts.hold()) await results.prune(parts.keepSuperseded, standingAmong(notebook.id, cellIds));
  const kept = await results.load();
  const handedOver = new Map(
    [...cellIds].flatMap((id) => {
      const key = notes.of(id).handed_over;
      return key === null ? [] : [[id, key]];
    }),
  );
  const history = createHistory(kept);
  const current = await openCurrent(parts, { results: kept, errors: await results.loadFailures(), handedOver });
  return {
    results,
    folders: createRunFolders(path.join(notebook.directory, '.svc/runs')),
    kept,
    history,
    imported: await openImportedOutputs(notebook.directory),
    deleted: createDeletedCells(results, notes, parts.log),
    iterations: createIterations(store),
    current,
    shown: (cellId) => history.find(cellId, current.session().cells.get(cellId)?.result?.key),
  };
}
