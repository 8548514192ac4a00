// Edits of cells. A new cell's file is there before its entry, and a deleted cell's entry is gone before its files: at
// no moment does the notebook name a source that is not on disk.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { type CellLanguage, languageFacts, usualLanguage } from '../../cellLanguages.ts';
import { refusals } from '../../errors/index.ts';
import {
  type Element,
  elementsOf,
  type Layout,
  printLayout,
  putKey,
  type TomlData,
  tableBlocks,
  tomlFloat,
  withElements,
} from '../../toml/index.ts';
import { errorCode } from '../storage/index.ts';
import { removeDurably, replaceAtomically, writeAtomically } from './atomicWrite.ts';
import { cellFilePath, findCells, readCellText, sourceFileName, testFileName } from './files.ts';
import { type Cell, cellsFolderName, type Notebook } from './notebook.ts';
import { identityNow } from './ownWrites.ts';
import { type ParsedFile, parseNotebookFile } from './parse.ts';
import { inTurnAt, type SaveOptions, saveEdit, saveEditNow, tablesIn } from './save.ts';
import type { Mount, VariantGroupEntry } from './schema.ts';
import { envOnDisk } from './secrets.ts';
import { putVariantGroups } from './settings.ts';
import { noLoneSurrogates } from './text.ts';
import { cellOnDisk, mountOnDisk } from './values.ts';

export interface NewCell {
  readonly language?: CellLanguage;
  /** Undefined: what a cell of its language begins with. */
  readonly source?: string | undefined;
  /** Last when left out. */
  readonly afterCellId?: string | null;
  readonly author?: string | null;
  /** Variant groups as they shall be once the cell is there. */
  readonly variantGroups?: readonly VariantGroupEntry[];
}

export const newCellId = (): string => randomUUID().slice(0, 8);

export function addCell(
  notebook: Notebook,
  wanted: NewCell,
  options: SaveOptions & { cellId?: string } = {},
): Promise<{ notebook: Notebook; cellId: string }> {
  const { language = usualLanguage, source, afterCellId = null, variantGroups } = wanted;
  return inTurnAt(notebook.directory, async () => {
    if (afterCellId !== null && !notebook.cells.some((cell) => cell.id === afterCellId)) {
      throw refusals.afterCellNotFound(afterCellId);
    }
    const id = options.cellId ?? unusedId(notebook);
    const file = sourceFileName(id, language);
    const text = source ?? languageFacts[language].start;
    const author = wanted.author ?? null;
    const fields = { id, file, language, worker: null, timeout: null, env: {}, mounts: [] };
    const entry = { ...fields, createdBy: author, updatedBy: author };
    const edited = await withNewFiles(notebook, id, { [file]: text }, () =>
      saveEditNow(
        notebook,
        (parsed) => {
          const layout = insertCell(parsed, entry, afterCellId === null ? [] : [afterCellId], 'end');
          return variantGroups === undefined ? layout : putVariantGroups({ ...parsed, layout }, variantGroups);
        },
        options,
      ),
    );
    return { notebook: edited, cellId: id };
  });
}

export interface DeletedCell {
  readonly cell: Cell;
  /** The ids of the cells that stood above it, from the top. */
  readonly above: readonly string[];
  /** Variant groups as they shall be once the cell is back. */
  readonly variantGroups?: readonly VariantGroupEntry[] | undefined;
}

/** Puts a deleted cell back with its text, tests and settings: below the nearest cell above it that is still there. */
export function restoreCell(
  notebook: Notebook,
  { cell, above, variantGroups }: DeletedCell,
  options: SaveOptions = {},
): Promise<Notebook> {
  return inTurnAt(notebook.directory, async () => {
    const { id, file, source, testSource } = cell;
    const files = { [file]: source, ...(testSource === '' ? {} : { [testFileName(id)]: testSource }) };
    // Known already, so that values which the file only names are remembered.
    const remembered = { ...notebook, cells: [...notebook.cells, cell] };
    return withNewFiles(notebook, id, files, () =>
      saveEditNow(
        remembered,
        (parsed) => {
          const layout = insertCell(parsed, cell, above, 'top');
          return variantGroups === undefined ? layout : putVariantGroups({ ...parsed, layout }, variantGroups);
        },
        options,
      ),
    );
  });
}

/** Below the last of `above` that is there, else where `otherwise` says. */
function insertCell(
  parsed: ParsedFile,
  entry: Omit<Cell, 'source' | 'testSource' | 'order'>,
  above: readonly string[],
  otherwise: 'top' | 'end',
): Layout {
  const sorted = [...parsed.file.cells].sort((a, b) => a.order - b.order);
  const places = new Map(sorted.map(({ id }, place) => [id, place]));
  const found = places.get(above.findLast((id) => places.has(id)) ?? '');
  const at = found !== undefined ? found + 1 : otherwise === 'top' ? 0 : sorted.length;
  const order = orderAt(sorted, at, found !== undefined);
  const element = tableBlocks(['cells'], cellOnDisk({ ...entry, order }), true);
  const elementAbove = parsed.file.cells.findIndex((cell) => cell.id === sorted[at - 1]?.id);
  const elements = elementsOf(parsed.layout, 'cells').toSpliced(elementAbove + 1, 0, element);
  const layout = withElements(parsed.layout, 'cells', elements, true);
  const isBetween = order > (sorted[at - 1]?.order ?? -Infinity) && order < (sorted[at]?.order ?? Infinity);
  if (isBetween) return layout;
  // No number lies between the two neighbours, which may even share one: number all cells anew.
  const ids = sorted.map(({ id }) => id).toSpliced(at, 0, entry.id);
  return reorderEdit(ids)(parseNotebookFile(printLayout(layout)));
}

/** With the text of the cell's file as it is now; the very same notebook when nobody else has written it. */
export async function withSourceOnDisk(notebook: Notebook, cellId: string): Promise<Notebook> {
  const cell = cellOf(notebook, cellId);
  const there = await readCellText(await cellPath(notebook.directory, cellId, cell.file));
  if (there === undefined || there === cell.source) return notebook;
  return withoutProblem(withCell(notebook, { ...cell, source: there }), cell.file);
}

/** Replaces a source, unless somebody else did since it was read. The notebook file changes only when the last editor does. */
export function setCellSource(
  notebook: Notebook,
  cellId: string,
  source: string,
  author: string | null = null,
  { force = false }: { force?: boolean } = {},
): Promise<Notebook> {
  return inTurnAt(notebook.directory, async () => {
    const cell = cellOf(notebook, cellId);
    if (cell.source === source && withoutProblem(notebook, cell.file) === notebook) return notebook;
    await replaceCellFile(notebook, cell, cell.file, source, force ? null : cell.source);
    const edited = withoutProblem(withCell(notebook, { ...cell, source }), cell.file);
    if (author === null || author === cell.updatedBy) return edited;
    return saveEditNow(edited, (parsed) => putCellKeys(parsed, cellId, { updated_by: author }), { structural: false });
  });
}

/** Blank tests are no tests: their file goes. */
export function setCellTests(notebook: Notebook, cellId: string, source: string): Promise<Notebook> {
  return inTurnAt(notebook.directory, async () => {
    const cell = cellOf(notebook, cellId);
    if (cell.language !== 'python') throw refusals.testsArePython();
    const testSource = source.trim() === '' ? '' : source;
    if (testSource === cell.testSource) return notebook;
    const file = testFileName(cellId);
    if (testSource !== '') await replaceCellFile(notebook, cell, file, testSource, cell.testSource);
    else {
      await assertAsRead(notebook, { id: cellId, file, source: cell.testSource });
      await removeDurably(await cellPath(notebook.directory, cellId, file));
    }
    return withoutProblem(withCell(notebook, { ...cell, testSource }), file);
  });
}

export function deleteCell(
  notebook: Notebook,
  cellId: string,
  options: SaveOptions & { variantGroups?: readonly VariantGroupEntry[] } = {},
): Promise<Notebook> {
  return inTurnAt(notebook.directory, async () => {
    const cell = cellOf(notebook, cellId);
    await assertAsRead(notebook, cell);
    const edited = await saveEditNow(
      notebook,
      (parsed) => {
        const at = indexOf(parsed, cellId);
        const layout = withElements(parsed.layout, 'cells', elementsOf(parsed.layout, 'cells').toSpliced(at, 1), true);
        const { variantGroups } = options;
        return variantGroups === undefined ? layout : putVariantGroups({ ...parsed, layout }, variantGroups);
      },
      options,
    );
    // A file written by hand may let two cells share a source.
    const isShared = edited.cells.some(({ file }) => file === cell.file);
    if (!isShared) await removeDurably(await cellPath(notebook.directory, cellId, cell.file));
    if (cell.testSource !== '') await removeDurably(await cellPath(notebook.directory, cellId, testFileName(cellId)));
    return edited;
  });
}

/** Named cells first, in this order; the others keep theirs after them. Unknown ids are ignored. */
export function reorderCells(
  notebook: Notebook,
  cellIds: readonly string[],
  options: SaveOptions = {},
): Promise<Notebook> {
  return saveEdit(notebook, reorderEdit(cellIds), options);
}

export interface CellKeys {
  readonly worker?: string | null;
  readonly timeout?: number | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
}

/** Sets the cell-level keys that are given; null or empty unsets one. */
export function setCellKeys(
  notebook: Notebook,
  cellId: string,
  { worker, timeout, env, mounts }: CellKeys,
  options: SaveOptions = {},
): Promise<Notebook> {
  const keys = {
    ...(worker === undefined ? {} : { worker: worker ?? undefined }),
    ...(timeout === undefined ? {} : { timeout: timeout === null ? undefined : tomlFloat(timeout) }),
    ...(env === undefined ? {} : { env: envOnDisk(env) }),
    ...(mounts === undefined ? {} : { mounts: mounts.length === 0 ? undefined : mounts.map(mountOnDisk) }),
  };
  const remembered = env === undefined ? notebook : withCell(notebook, { ...cellOf(notebook, cellId), env });
  return saveEdit(remembered, (parsed) => putCellKeys(parsed, cellId, keys), options);
}

export function cellOf(notebook: Notebook, cellId: string): Cell {
  const cell = notebook.cells.find((one) => one.id === cellId);
  if (cell === undefined) throw refusals.cellNotInFile(cellId);
  return cell;
}

function withCell(notebook: Notebook, cell: Cell): Notebook {
  return { ...notebook, cells: notebook.cells.map((one) => (one.id === cell.id ? cell : one)) };
}

/** A file that was just written has no problem any more. */
function withoutProblem(notebook: Notebook, file: string): Notebook {
  const problems = notebook.problems.filter((problem) => problem.file !== `${cellsFolderName}/${file}`);
  return problems.length === notebook.problems.length ? notebook : { ...notebook, problems };
}

function reorderEdit(cellIds: readonly string[]): (parsed: ParsedFile) => Layout {
  return (parsed) => {
    const elements = elementsOf(parsed.layout, 'cells');
    const data = tablesIn(parsed.data, 'cells');
    const all = parsed.file.cells.map((cell, index) => ({ cell, index }));
    const rank = new Map(cellIds.map((id, place) => [id, place]));
    const place = (id: string): number => rank.get(id) ?? cellIds.length;
    all.sort((a, b) => place(a.cell.id) - place(b.cell.id) || a.cell.order - b.cell.order);
    const ordered = all.map(
      ({ index }, order): Element => putKey(elements[index] ?? [], ['cells'], 'order', data[index]?.order, order),
    );
    const isMoved = all.some(({ index }, at) => index !== at);
    const isRenumbered = ordered.some((element, at) => element !== elements[all[at]?.index ?? -1]);
    return isMoved || isRenumbered ? withElements(parsed.layout, 'cells', ordered, true) : parsed.layout;
  };
}

function putCellKeys(parsed: ParsedFile, cellId: string, keys: Readonly<Record<string, TomlData | undefined>>): Layout {
  const at = indexOf(parsed, cellId);
  const elements = elementsOf(parsed.layout, 'cells');
  const current = tablesIn(parsed.data, 'cells')[at] ?? {};
  const before = elements[at] ?? [];
  let element = before;
  for (const [key, value] of Object.entries(keys)) element = putKey(element, ['cells'], key, current[key], value);
  return element === before ? parsed.layout : withElements(parsed.layout, 'cells', elements.with(at, element), true);
}

function indexOf({ file }: ParsedFile, cellId: string): number {
  const at = file.cells.findIndex((cell) => cell.id === cellId);
  if (at < 0) throw refusals.cellNotInFile(cellId);
  return at;
}

/** Halfway to the cell below; one more than the cell above where there is none below. */
function orderAt(sorted: readonly { readonly order: number }[], at: number, isAfterNamed: boolean): number {
  const [above, below] = [sorted[at - 1]?.order, sorted[at]?.order];
  if (above === undefined) return 0;
  if (below !== undefined) return above + (below - above) / 2;
  return isAfterNamed ? above + 1 : Math.max(sorted.length, Math.floor(above) + 1);
}

function unusedId(notebook: Notebook): string {
  const used = new Set(notebook.cells.map((cell) => cell.id));
  let id = newCellId();
  while (used.has(id)) id = newCellId();
  return id;
}

async function cellPath(directory: string, cellId: string, file: string): Promise<string> {
  return cellFilePath(await findCells(directory), cellId, file);
}

/** Null: whatever was written there may be replaced. What cannot be read holds no text that could be lost. */
async function replaceCellFile(
  notebook: Notebook,
  { id }: Cell,
  file: string,
  text: string,
  read: string | null,
): Promise<void> {
  noLoneSurrogates(text, 'cell source');
  for (;;) {
    const place = await madeCellPath(notebook.directory, id, file);
    const identity = identityNow(place);
    const there = read === null ? undefined : await readCellText(place);
    if (there !== undefined && there !== read && there !== text) throw refusals.sourceChanged(id, there);
    if (await replaceAtomically(place, text, identity)) return;
  }
}

/** What somebody else wrote meanwhile is not deleted unseen. */
async function assertAsRead(
  { directory }: Notebook,
  { id, file, source }: Pick<Cell, 'id' | 'file' | 'source'>,
): Promise<void> {
  const there = await readCellText(await cellPath(directory, id, file));
  if (there !== undefined && there !== source) throw refusals.sourceChanged(id, there);
}

async function madeCellPath(directory: string, cellId: string, file: string): Promise<string> {
  const folder = await findCells(directory);
  if (folder.real === undefined) await makeCellsFolder(folder.path, directory);
  return cellFilePath(folder, cellId, file);
}

async function writeCellFile(directory: string, cellId: string, file: string, text: string): Promise<void> {
  noLoneSurrogates(text, 'cell source');
  await writeAtomically(await madeCellPath(directory, cellId, file), text);
}

/** Writes the files of a cell that is about to be named; when that fails, none of them stays. */
async function withNewFiles<T>(
  { directory, cells }: Notebook,
  cellId: string,
  files: Readonly<Record<string, string>>,
  save: () => Promise<T>,
): Promise<T> {
  try {
    for (const [file, text] of Object.entries(files)) await writeCellFile(directory, cellId, file, text);
    return await save();
  } catch (error) {
    // A file written by hand may let two cells share a source.
    const own = Object.keys(files).filter((file) => !cells.some((cell) => cell.file === file));
    await Promise.allSettled(own.map(async (file) => removeDurably(await cellPath(directory, cellId, file))));
    throw error;
  }
}

/** Made when it is missing, but never the notebook around it: one that was deleted stays deleted. */
async function makeCellsFolder(folder: string, directory: string): Promise<void> {
  await fs.mkdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw refusals.notebookFileNotFound(directory);
    if (errorCode(error) !== 'EEXIST') throw error;
    // Unless somebody else has just made it.
    if (!existsSync(folder)) throw refusals.cellsNoFolder();
  });
}
