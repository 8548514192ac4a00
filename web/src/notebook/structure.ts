// Adding, deleting, moving, copying, splitting and merging cells. Each can be taken back.
import { type CellLanguage, usualLanguage } from '../../../src/cellLanguages.ts';
import * as api from '../api/index.ts';
import { textOf } from '../state/index.ts';
import { announce } from '../ui/index.ts';
import { attempt } from './attempt.ts';
import {
  assertLeftAlone,
  assertNotOfOthers,
  bringBack,
  type CellCopy,
  copyOf,
  deleteAdded,
  deleteIfThere,
  putInOrder,
  removedCell,
} from './cellsBack.ts';
import { replaceText } from './replaceText.ts';
import type { NotebookSession } from './session.ts';

/** The selected cell and the marked ones, in the order of the notebook. */
export function chosen({ store, view }: NotebookSession): readonly string[] {
  const { selected, marked } = view.get();
  return store.get().order.filter((id) => id === selected || marked.has(id));
}

/** The cell that is selected now, or its editor, must not get what is pressed for the cell to come. */
function expectKeys({ view, typeahead }: NotebookSession, ...wait: Parameters<typeof typeahead.wait>): void {
  view.send({ kind: 'select', cellId: view.get().selected });
  typeahead.wait(...wait);
}

/** It gets the keys that were pressed for it: commands here, text in its editor when that opens. */
async function arrived(session: NotebookSession, cellId: string, mode: 'command' | 'edit'): Promise<void> {
  session.view.send({ kind: 'select', cellId, mode });
  if (mode === 'edit') return;
  await isTold(session, (order) => order.includes(cellId));
  session.typeahead.replay(() => {});
}

const tellingMilliseconds = 5000;

/** What answers a request may be here before what is told to everybody; the next change begins with what this one left. */
function isTold({ store }: NotebookSession, holds: (order: readonly string[]) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    const { order, connection } = store.get();
    if (holds(order) || connection !== 'live') resolve();
  };
  const unsubscribe = store.subscribe(look);
  // Somebody else may have changed it back before it was told.
  const timer = setTimeout(resolve, tellingMilliseconds);
  look();
  return promise.finally(() => {
    unsubscribe();
    clearTimeout(timer);
  });
}

/** Gives its id; undefined where it could not be added, which is told. */
export async function addCell(
  session: NotebookSession,
  after: string | null,
  language: CellLanguage = usualLanguage,
  source?: string,
  mode: 'command' | 'edit' = 'edit',
): Promise<string | undefined> {
  expectKeys(session, mode === 'edit' ? 'editor' : 'cell');
  let added: string | undefined;
  await attempt(session, async () => {
    const begins = source ?? (language === 'sql' ? await queryStart(session) : undefined);
    const cell = await api.addCell(session.sessionId, after, language, begins);
    session.undo.did('adding a cell', (now) => deleteAdded(session, { [cell.id]: cell.source }, now));
    announce(`${language} cell added`);
    await arrived(session, cell.id, mode);
    added = cell.id;
  });
  return added;
}

/** Each leaves what is kept aside once the server has it: what fails is still there. */
export function bringOrphans(session: NotebookSession): Promise<void> {
  expectKeys(session, 'editor');
  return attempt(session, async () => {
    let last: string | undefined;
    for (const orphan of session.store.get().orphans) {
      const cell = await api.addCell(session.sessionId, null, orphan.language, orphan.text);
      session.store.send({ kind: 'adopted', orphan });
      session.undo.did('adding a cell', (now) => deleteAdded(session, { [cell.id]: cell.source }, now));
      last = cell.id;
    }
    if (last === undefined) session.typeahead.drop();
    else await arrived(session, last, 'edit');
  });
}

/** A query needs a connection: one that the notebook has, or a DuckDB of its own, which knows the tables of its cells. */
async function queryStart({ sessionId }: NotebookSession): Promise<string> {
  const { connections } = await api.connections(sessionId);
  const [first] =
    connections.length > 0 ? connections : (await api.setConnections(sessionId, [ownDatabase])).connections;
  return first ? `# @sql connection=${first.name}\n\n` : '';
}

const ownDatabase = { name: 'duckdb', driver: 'duckdb', path: ':memory:' };

/** The beginning of a query on a connection of this driver; one is made where the notebook has none. */
export async function queryOn({ sessionId }: NotebookSession, driver: 'duckdb'): Promise<string> {
  const { connections } = await api.connections(sessionId);
  const known = connections.find((one) => one.driver === driver);
  if (known) return `# @sql connection=${known.name}\n`;
  const isTaken = connections.some(({ name }) => name === ownDatabase.name);
  const added = isTaken ? { ...ownDatabase, name: 'tables_of_cells' } : ownDatabase;
  await api.setConnections(sessionId, [...connections, added]);
  return `# @sql connection=${added.name}\n`;
}

/** The server can only add after a cell; what belongs on top is moved there. */
export async function addCellAbove(session: NotebookSession, cellId: string): Promise<void> {
  const { order } = session.store.get();
  const before = order[order.indexOf(cellId) - 1];
  if (before !== undefined) {
    await addCell(session, before, usualLanguage, undefined, 'command');
    return;
  }
  expectKeys(session, 'cell');
  await attempt(session, async () => {
    const cell = await api.addCell(session.sessionId, cellId, usualLanguage);
    await api.reorderCells(session.sessionId, [cell.id, ...order]);
    session.undo.did('adding a cell', (now) => deleteAdded(session, { [cell.id]: cell.source }, now));
    await arrived(session, cell.id, 'command');
  });
}

export function deleteCells(session: NotebookSession, cellIds: readonly string[]): Promise<void> {
  return attempt(session, async () => {
    const { order } = session.store.get();
    const removed = cellIds.map((id) => removedCell(session, id));
    const next = order.find((id, index) => index > order.indexOf(cellIds[0] ?? '') && !cellIds.includes(id));
    const before = order.findLast((id, index) => index < order.indexOf(cellIds[0] ?? '') && !cellIds.includes(id));
    session.view.send({ kind: 'select', cellId: next ?? before ?? null });
    for (const { id } of removed) await api.deleteCell(session.sessionId, id);
    await isTold(session, (told) => !told.some((id) => cellIds.includes(id)));
    session.undo.did(removed.length === 1 ? 'deleting a cell' : `deleting ${removed.length} cells`, async (now) => {
      // Each finds what stood above it when it went.
      for (const one of removed.toReversed()) await bringBack(session, one, now);
      await putInOrder(session, order.map(now));
      const last = removed.at(-1);
      session.view.send({ kind: 'select', cellId: last ? now(last.id) : null });
    });
    const text = removed.length === 1 ? 'Cell deleted' : `${removed.length} cells deleted`;
    session.store.send({ kind: 'noticed', text: `${text}. Press Z to undo.`, tone: 'plain' });
    announce(text);
  });
}

export function moveCells(session: NotebookSession, cellIds: readonly string[], step: -1 | 1): Promise<void> {
  const moving = new Set(cellIds);
  return reorder(session, (order) => {
    const next = [...order];
    const walk = step === -1 ? order.keys() : [...order.keys()].reverse();
    for (const index of walk) {
      const [here, there] = [next[index], next[index + step]];
      if (here === undefined || there === undefined || !moving.has(here) || moving.has(there)) continue;
      next[index] = there;
      next[index + step] = here;
    }
    return next;
  });
}

/** Puts a cell where another one is, as dragging does. */
export function moveCellTo(session: NotebookSession, cellId: string, target: string): Promise<void> {
  return reorder(session, (order) => {
    const isDown = order.indexOf(cellId) < order.indexOf(target);
    const rest = order.filter((id) => id !== cellId);
    const place = rest.indexOf(target) + (isDown ? 1 : 0);
    return cellId === target ? order : [...rest.slice(0, place), cellId, ...rest.slice(place)];
  });
}

/** The order is read when its turn comes: the change before may have moved cells. */
function reorder(session: NotebookSession, change: (order: readonly string[]) => readonly string[]): Promise<void> {
  return attempt(session, async () => {
    const { order } = session.store.get();
    const next = change(order);
    if (next.every((id, index) => id === order[index])) return;
    await api.reorderCells(session.sessionId, next);
    await isTold(session, (told) => told.join() !== order.join());
    session.undo.did('moving', (now) => putInOrder(session, order.map(now)));
    const { selected } = session.view.get();
    if (selected !== null) announce(`Moved to place ${next.indexOf(selected) + 1} of ${next.length}`);
  });
}

export function duplicateCells(session: NotebookSession, cellIds: readonly string[]): Promise<void> {
  const copies = cellIds.map((id) => copyOf(session, id));
  return insertCopies(session, () => cellIds.at(-1) ?? null, copies, 'copying');
}

/** `placeOf` says after which cell, once it is their turn; null is the end. */
export function insertCopies(
  session: NotebookSession,
  placeOf: () => string | null,
  copies: readonly CellCopy[],
  label: string,
): Promise<void> {
  if (copies.length === 0) return Promise.resolve();
  expectKeys(session, 'cell');
  return attempt(session, async () => {
    let after = placeOf();
    const made: Record<string, string> = {};
    for (const { language, source } of copies) {
      const cell = await api.addCell(session.sessionId, after, language, source);
      made[cell.id] = cell.source;
      after = cell.id;
    }
    session.undo.did(label, (now) => deleteAdded(session, made, now));
    announce(copies.length === 1 ? 'Cell added' : `${copies.length} cells added`);
    if (after !== null) await arrived(session, after, 'command');
  });
}

export function splitCell(session: NotebookSession, cellId: string, at: number): Promise<void> {
  expectKeys(session, 'editor', 'before');
  return attempt(session, async () => {
    const model = session.store.get();
    const text = textOf(model, cellId);
    const [head, tail] = [text.slice(0, at).replace(/\n+$/, ''), text.slice(at).replace(/^\n+/, '')];
    const cell = await api.addCell(session.sessionId, cellId, model.cells.get(cellId)?.language ?? usualLanguage, tail);
    replaceText(session, cellId, head);
    await arrived(session, cell.id, 'edit');
    session.undo.did('splitting', async (now) => {
      await assertLeftAlone(session, { [cellId]: head, [cell.id]: tail }, now);
      await deleteIfThere(session, now(cell.id));
      replaceText(session, now(cellId), text);
    });
  });
}

export function mergeWithNext(session: NotebookSession, cellId: string): Promise<void> {
  const model = session.store.get();
  const next = model.order[model.order.indexOf(cellId) + 1];
  if (next === undefined || model.cells.get(next)?.language !== model.cells.get(cellId)?.language)
    return Promise.resolve();
  return attempt(session, async () => {
    const text = textOf(session.store.get(), cellId);
    const removed = removedCell(session, next);
    const merged = [text, removed.source].filter((part) => part !== '').join('\n');
    replaceText(session, cellId, merged);
    await api.deleteCell(session.sessionId, next);
    session.undo.did('merging', async (now) => {
      await assertLeftAlone(session, { [cellId]: merged }, now);
      await bringBack(session, removed, now);
      await putInOrder(session, model.order.map(now));
      replaceText(session, now(cellId), text);
    });
  });
}

/** One cell of several, where the server says that their order holds. */
export function joinCells(session: NotebookSession, cellIds: readonly string[]): Promise<void> {
  session.link.flush();
  expectKeys(session, 'cell');
  return attempt(session, async () => {
    const removed = new Map(cellIds.map((id) => [id, removedCell(session, id)]));
    const { cell_id, removed_cell_ids, before, cells } = await api.joinCells(session.sessionId, cellIds);
    const joined = cells.find(({ id }) => id === cell_id)?.source ?? '';
    session.undo.did('joining cells', async (now) => {
      await assertLeftAlone(session, { [cell_id]: joined }, now);
      for (const id of removed_cell_ids.toReversed()) {
        const cell = removed.get(id);
        if (cell) await bringBack(session, cell, now);
      }
      await putInOrder(session, before.cell_ids.map(now));
      replaceText(session, now(cell_id), before.source);
    });
    const done = `${cellIds.length} cells are one now.`;
    session.store.send({ kind: 'noticed', text: `${done} Press Z to undo.`, tone: 'plain' });
    announce(done);
    await arrived(session, cell_id, 'command');
  });
}

export function changeLanguage(session: NotebookSession, cellId: string, language: CellLanguage): Promise<void> {
  const model = session.store.get();
  const cell = model.cells.get(cellId);
  if (!cell || cell.language === language) return Promise.resolve();
  expectKeys(session, 'cell');
  return attempt(session, async () => {
    const removed = removedCell(session, cellId);
    const fresh = await api.addCell(session.sessionId, cellId, language, removed.source);
    await api.deleteCell(session.sessionId, cellId);
    session.undo.did('changing the language', async (now) => {
      await assertNotOfOthers(session, { [fresh.id]: fresh.source }, now);
      await bringBack(session, removed, now);
      await deleteIfThere(session, now(fresh.id));
      await putInOrder(session, model.order.map(now));
      session.view.send({ kind: 'select', cellId: now(cellId) });
    });
    announce(`Now a ${language} cell`);
    await arrived(session, fresh.id, 'command');
  });
}
