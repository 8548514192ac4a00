// What a change of cells needs to be taken back: cells as they were, in the order in which they were, beside what others did since.
import { type CellLanguage, usualLanguage } from '../../../src/cellLanguages.ts';
import * as api from '../api/index.ts';
import { textOf } from '../state/index.ts';
import { mergedOrder } from './mergedOrder.ts';
import type { NotebookSession } from './session.ts';
import type { CurrentId } from './undoStack.ts';

/** What of a cell can be put elsewhere. */
export interface CellCopy {
  readonly language: CellLanguage;
  readonly source: string;
}

export interface RemovedCell extends CellCopy {
  readonly id: string;
}

export function copyOf({ store }: NotebookSession, id: string): CellCopy {
  const model = store.get();
  return { language: model.cells.get(id)?.language ?? usualLanguage, source: textOf(model, id) };
}

export const removedCell = (session: NotebookSession, id: string): RemovedCell => ({ id, ...copyOf(session, id) });

/**
 * Which cells there are, in which order, and what they say, the server knows first: what others wrote may be told to this page
 * late. What is being written here, only this page knows; the server may take it after it has answered, and say so before the
 * answer is here.
 */
export async function standing({
  sessionId,
  store,
}: Pick<NotebookSession, 'sessionId' | 'store'>): Promise<ReadonlyMap<string, CellCopy>> {
  const earlier = store.get().drafts;
  const { cells } = await api.readCells(sessionId);
  const { drafts } = store.get();
  const written = (id: string): string | undefined => (drafts.get(id) ?? earlier.get(id))?.text;
  return new Map(cells.map(({ id, language, source }) => [id, { language, source: written(id) ?? source }]));
}

/** Throws where a cell does not say what the change left in it: what somebody wrote since is not taken back with it. */
export async function assertLeftAlone(
  session: NotebookSession,
  left: Readonly<Record<string, string>>,
  now: CurrentId,
): Promise<void> {
  const cells = await standing(session);
  const isOther = ([id, text]: [string, string]): boolean => {
    const cell = cells.get(now(id));
    return cell !== undefined && cell.source.replace(/\n$/, '') !== text.replace(/\n$/, '');
  };
  if (Object.entries(left).some(isOther))
    throw new Error('the cell has been written in since. Undo in its text, or skip this step.');
}

/**
 * Throws where somebody else wrote last in a cell that is about to be deleted. `left`: what each said when it was there first;
 * what one wrote oneself since comes back when the deletion is undone.
 */
export async function assertNotOfOthers(
  { sessionId, store }: Pick<NotebookSession, 'sessionId' | 'store'>,
  left: Readonly<Record<string, string>>,
  now: CurrentId,
): Promise<void> {
  const { cells } = await api.readCells(sessionId);
  const { you } = store.get().presence;
  for (const [id, text] of Object.entries(left)) {
    const cell = cells.find((one) => one.id === now(id));
    if (!cell || cell.source.replace(/\n$/, '') === text.replace(/\n$/, '')) continue;
    const { updated_by: writer } = cell;
    if (writer !== null && writer !== you && you !== '')
      throw new Error(`${writer} has written in the cell since, so it stays.`);
  }
}

/** As it was, with its result; a server that has been started anew since knows no more of it than its text. */
export async function bringBack(
  { sessionId, undo }: Pick<NotebookSession, 'sessionId' | 'undo'>,
  { id, language, source }: RemovedCell,
  now: CurrentId,
): Promise<void> {
  const cell = await api.restoreCell(sessionId, now(id)).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    // An attempt that failed half-way, or somebody else, may have brought it back already; the page is told of either late.
    const { cells } = await api.readCells(sessionId);
    return cells.some((one) => one.id === now(id)) ? null : api.addCell(sessionId, null, language);
  });
  undo.touched(cell?.id ?? now(id));
  if (cell === null) return;
  if (cell.source !== source) await api.editCell(sessionId, cell.id, source);
  if (cell.id !== now(id)) undo.renamed(now(id), cell.id);
}

/** Somebody else may have deleted it, which is what is wanted. */
export async function deleteIfThere(
  { sessionId, view, undo }: Pick<NotebookSession, 'sessionId' | 'view' | 'undo'>,
  cellId: string,
): Promise<void> {
  undo.touched(cellId);
  // Whoever deletes it does not write in it any more: their next keys are commands.
  if (view.get().selected === cellId) view.send({ kind: 'select', cellId });
  await api.deleteCell(sessionId, cellId).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Cells by what they said when they were added. */
export async function deleteAdded(
  session: Pick<NotebookSession, 'sessionId' | 'store' | 'view' | 'undo'>,
  added: Readonly<Record<string, string>>,
  now: CurrentId,
): Promise<void> {
  await assertNotOfOthers(session, added, now);
  for (const id of Object.keys(added)) await deleteIfThere(session, now(id));
}

/** Cells that others added since stay below the cell that they are below of. */
export async function putInOrder(
  { sessionId }: Pick<NotebookSession, 'sessionId'>,
  wanted: readonly string[],
): Promise<void> {
  const { cells } = await api.readCells(sessionId);
  const present = cells.map(({ id }) => id);
  await api.reorderCells(sessionId, mergedOrder(wanted, present));
}

const isMissing = (error: unknown): boolean => error instanceof api.ApiError && error.isMissing;
