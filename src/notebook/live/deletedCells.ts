// Cells that were deleted while their notebook is open, as they were: whoever takes the deletion back gets text, settings,
// tests, choices and results again. The last ones are remembered, until the notebook is closed. A cell that comes back comes
// whole or not at all; one that goes may leave something behind where the disk is full, and then it is told.
import { isDeepStrictEqual } from 'node:util';
import { selectionsWithout } from '../dag/index.ts';
import { cellOf, type DeletedCell, deleteCell, type Notebook, restoreCell } from '../document/index.ts';
import type { Forgotten, Results } from '../run/index.ts';
import type { Shape } from '../shape/index.ts';
import { type CellState, unknownCell } from '../state/index.ts';
import type { CellNote, CellNotes } from './cellNotes.ts';
import type { LiveParts } from './live.ts';

const remembered = 500;

interface Remembered extends DeletedCell {
  readonly state: CellState;
  /** Undefined when they could not be taken out, and are still where they were. */
  readonly results: Forgotten | undefined;
  readonly note: CellNote;
  readonly groupsAfter: Notebook['variantGroups'];
}

export interface DeletedCells {
  /** Gives the notebook without the cell, and what could not be cleared after it, in words. */
  delete(
    notebook: Notebook,
    shape: Shape,
    cellId: string,
    state: CellState | undefined,
  ): Promise<{ notebook: Notebook; warnings: readonly string[] }>;
  /** Gives the notebook with the cell, and how the cell stood; undefined when nothing is remembered of it. */
  restore(notebook: Notebook, cellId: string): Promise<{ notebook: Notebook; state: CellState } | undefined>;
}

export function createDeletedCells(results: Results, notes: CellNotes, log: LiveParts['log']): DeletedCells {
  const cells = new Map<string, Remembered>();

  /** Takes out what is stored of a cell; what that was, as far as it is out. */
  async function clear(cellId: string): Promise<{ results: Forgotten | undefined; warnings: string[] }> {
    const [forgotten, noted] = await Promise.allSettled([results.forget(cellId), notes.forget(cellId)]);
    const warnings: string[] = [];
    for (const [what, outcome] of [
      ['results', forgotten],
      ['choices and test results', noted],
    ] as const) {
      if (outcome.status === 'fulfilled') continue;
      const warning = `The ${what} of the deleted cell could not be removed and are still stored.`;
      warnings.push(warning);
      log.warning(warning, { error: outcome.reason, cell_id: cellId });
    }
    return { results: forgotten.status === 'fulfilled' ? forgotten.value : undefined, warnings };
  }

  return {
    async delete(notebook, shape, cellId, state = unknownCell) {
      const cell = cellOf(notebook, cellId);
      const above = notebook.cells.slice(0, notebook.cells.indexOf(cell)).map(({ id }) => id);
      const { variantGroups } = notebook;
      const groupsAfter = selectionsWithout(shape.variants, variantGroups, cellId);
      const edited = await deleteCell(notebook, cellId, { variantGroups: groupsAfter });
      const note = notes.of(cellId);
      // The cell is gone: what could not be cleared after it changes nothing for the others.
      const { results: kept, warnings } = await clear(cellId);
      cells.set(cellId, { cell, above, variantGroups, groupsAfter, state, results: kept, note });
      for (const old of [...cells.keys()].slice(0, -remembered)) cells.delete(old);
      return { notebook: edited, warnings };
    },

    async restore(notebook, cellId) {
      const deleted = cells.get(cellId);
      if (!deleted) return undefined;
      const { cell, above, state, note } = deleted;
      // What somebody has chosen since stays.
      const isUntouched = isDeepStrictEqual(notebook.variantGroups, deleted.groupsAfter);
      const variantGroups = isUntouched ? deleted.variantGroups : undefined;
      // What it gave comes before it: where there is no room for all of it, the cell stays deleted.
      if (deleted.results) await results.putBack(deleted.results);
      try {
        await notes.write(cellId, note);
        const edited = await restoreCell(notebook, { cell, above, variantGroups });
        cells.delete(cellId);
        return { notebook: edited, state };
      } catch (error) {
        cells.set(cellId, { ...deleted, results: (await clear(cellId)).results });
        throw error;
      }
    },
  };
}
