// Cells that were cut or copied, until they are pasted: one clipboard for the page, so that they go from a notebook to another.
import { announce } from '../ui/index.ts';
import { type CellCopy, copyOf } from './cellsBack.ts';
import type { NotebookSession } from './session.ts';
import { chosen, deleteCells, insertCopies } from './structure.ts';

let held: readonly CellCopy[] = [];

const counted = (cells: readonly unknown[]): string => (cells.length === 1 ? 'Cell' : `${cells.length} cells`);

const say = (session: NotebookSession, text: string): void => {
  session.store.send({ kind: 'noticed', text, tone: 'plain' });
  announce(text);
};

/** What is chosen now is held from now on; nothing chosen leaves what is held. */
function hold(session: NotebookSession): readonly string[] {
  const cellIds = chosen(session);
  if (cellIds.length > 0) held = cellIds.map((id) => copyOf(session, id));
  return cellIds;
}

export function copyCells(session: NotebookSession): void {
  const cellIds = hold(session);
  if (cellIds.length > 0) say(session, `${counted(cellIds)} copied. Press V to paste below another.`);
}

export function cutCells(session: NotebookSession): void {
  const cellIds = hold(session);
  if (cellIds.length > 0) void deleteCells(session, cellIds);
}

export function pasteCells(session: NotebookSession): void {
  if (held.length === 0) say(session, 'Nothing to paste: press C on a cell to copy it, X to cut it.');
  // The place is looked for when its turn comes: what was cut a moment ago may still be there.
  else void insertCopies(session, () => chosen(session).at(-1) ?? null, held, 'pasting');
}
