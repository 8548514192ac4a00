// Walking through the cells that are shown: inactive variants stand behind the active one and are skipped.
import type { NotebookModel } from '../state/index.ts';
import type { NotebookSession } from './session.ts';

let last: { readonly model: Pick<NotebookModel, 'order' | 'cells'>; readonly shown: readonly string[] } | undefined;

/** The same list for the same notebook, so that components may compare it. */
export function shownCells({ order, cells }: NotebookModel): readonly string[] {
  if (last && last.model.order === order && last.model.cells === cells) return last.shown;
  const found = order.filter((id) => {
    const cell = cells.get(id);
    return cell !== undefined && (cell.variantGroup === null || cell.variantActive);
  });
  const shown = last && sameList(last.shown, found) ? last.shown : found;
  last = { model: { order, cells }, shown };
  return shown;
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

export function neighbour(session: NotebookSession, step: number): string | undefined {
  const shown = shownCells(session.store.get());
  const now = shown.indexOf(session.view.get().selected ?? '');
  return shown[Math.max(0, Math.min(shown.length - 1, now + step))];
}

export function walk(session: NotebookSession, step: number, mode: 'command' | 'edit' = 'command'): void {
  const cellId = neighbour(session, step);
  if (cellId !== undefined) session.view.send({ kind: 'select', cellId, mode });
}

/** Widens the marked range, as Shift with an arrow does. */
export function widen(session: NotebookSession, step: number): void {
  const { selected, marked } = session.view.get();
  const next = neighbour(session, step);
  if (selected === null || next === undefined) return;
  const all = new Set(marked).add(selected).add(next);
  session.view.send({ kind: 'select', cellId: next });
  session.view.send({ kind: 'mark', cellIds: [...all] });
}
