// Cells that were deleted while their notebook is open, as they were: whoever takes the deletion back gets text, settings,
// tests, choices and results again. The last ones are remembered, until the notebook is closed.
import { isDeepStrictEqual } from 'node:util';
import { selectionsWithout } from '../dag/index.ts';
import { cellOf, type DeletedCell, deleteCell, type Notebook, restoreCell } from '../document/index.ts';
import type { Forgotten, Results } from '../run/index.ts';
import { type CellState, unknownCell } from '../session/index.ts';
import type { Shape } from '../shape/index.ts';
import type { CellNote, CellNotes } from './cellNotes.ts';

const remembered = 500;

interface Remembered extends DeletedCell {
  readonly state: CellState;
  /** Undefined when they could not be taken out, and are still where they were. */
  readonly results: Forgotten | undefined;
  readonly note: CellNote;
  readonly groupsAfter: Notebook['variantGroups'];
}

export interface DeletedCells {
  /** Gives the notebook without the cell. */
  delete(notebook: Notebook, shape: Shape, cellId: string, state: CellState | undefined): Promise<Notebook>;
  /** Gives the notebook with the cell, and how the cell stood; undefined when nothing is remembered of it. */
  restore(notebook: Notebook, cellId: string): Promise<{ notebook: Notebook; state: CellState } | undefined>;
}

export function createDeletedCells(results: Results, notes: CellNotes): DeletedCells {
  const cells = new Map<string, Remembered>();
  return {
    async delete(notebook, shape, cellId, state = unknownCell) {
      const cell = cellOf(notebook, cellId);
      const above = notebook.cells.slice(0, notebook.cells.indexOf(cell)).map(({ id }) => id);
      const { variantGroups } = notebook;
      const groupsAfter = selectionsWithout(shape.variants, variantGroups, cellId);
      const edited = await deleteCell(notebook, cellId, { variantGroups: groupsAfter });
      const note = notes.of(cellId);
      // The cell is gone: what could not be cleared after it is in nobody's way.
      const [forgotten] = await Promise.allSettled([results.forget(cellId), notes.forget(cellId)]);
      const kept = forgotten.status === 'fulfilled' ? forgotten.value : undefined;
      cells.set(cellId, { cell, above, variantGroups, groupsAfter, state, results: kept, note });
      for (const old of [...cells.keys()].slice(0, -remembered)) cells.delete(old);
      return edited;
    },

    async restore(notebook, cellId) {
      const deleted = cells.get(cellId);
      if (!deleted) return undefined;
      const { cell, above, state, note } = deleted;
      // What somebody has chosen since stays.
      const isUntouched = isDeepStrictEqual(notebook.variantGroups, deleted.groupsAfter);
      const variantGroups = isUntouched ? deleted.variantGroups : undefined;
      const edited = await restoreCell(notebook, { cell, above, variantGroups });
      cells.delete(cellId);
      // The cell is there: what is missing can be computed again.
      await Promise.allSettled([deleted.results && results.putBack(deleted.results), notes.write(cellId, note)]);
      return { notebook: edited, state };
    },
  };
}
