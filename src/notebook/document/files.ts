// The files below a notebook directory that are read and written: the notebook file, and cell sources with their tests
// under `cells/`. A source is only ever reached inside `cells/`, whatever the file names and wherever links lead.
import fs from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { errorCode, isLink, isWithin } from '../storage/paths.ts';
import { cellsFolderName, type FileProblem, notebookFileName } from './notebook.ts';
import type { CellEntry, CellLanguage } from './schema.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const extensions: Readonly<Record<CellLanguage, string>> = {
  python: '.py',
  prompt: '.py',
  sql: '.py',
  markdown: '.md',
  r: '.r',
  widget: '.widget',
};

export const sourceFileName = (cellId: string, language: CellLanguage): string => `${cellId}${extensions[language]}`;

export const testFileName = (cellId: string): string => `${cellId}.test.py`;

export const notebookFilePath = (directory: string): string => path.join(directory, notebookFileName);

export async function readNotebookFile(directory: string): Promise<string> {
  const bytes = await fs.readFile(notebookFilePath(directory)).catch(async (error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const isThere = await fs.stat(directory).then(
        (found) => found.isDirectory(),
        () => false,
      );
      throw isThere ? refusals.notebookFileNotFound(directory) : refusals.notebookDirectoryNotFound();
    }
    if (code === 'EACCES' || code === 'EPERM') throw refusals.pathForbidden('notebook path');
    throw error;
  });
  try {
    return utf8.decode(bytes);
  } catch {
    throw refusals.notebookFileInvalid({ file: notebookFileName, line: null, key: null }, 'is not UTF-8 text');
  }
}

export interface CellsFolder {
  readonly path: string;
  /** With links resolved; undefined when there is no folder yet. */
  readonly real: string | undefined;
  /** Plain files known to lie directly in it: thousands of cells then need no look at the disk each. */
  readonly plainFiles: ReadonlySet<string>;
}

export async function findCells(directory: string): Promise<CellsFolder> {
  const folder = path.join(directory, cellsFolderName);
  const real = await fs.realpath(folder).catch(() => undefined);
  if (real !== undefined && !isWithin(await fs.realpath(directory), real)) {
    throw refusals.pathUnusable('notebook path', 'its cells folder is a link that leads out of the notebook');
  }
  return { path: folder, real, plainFiles: new Set() };
}

export async function listCells(directory: string): Promise<CellsFolder> {
  const folder = await findCells(directory);
  if (folder.real === undefined) return folder;
  const entries = await fs.readdir(folder.real, { withFileTypes: true });
  return { ...folder, plainFiles: new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name)) };
}

/** Where a cell's file lies. Refuses names and links that lead out of `cells/`. */
export async function cellFilePath(folder: CellsFolder, cellId: string, file: string): Promise<string> {
  const place = path.resolve(folder.path, file);
  if (file.includes('\0') || place === folder.path || !isWithin(folder.path, place)) {
    throw refusals.cellFileOutside(cellId, file);
  }
  if (folder.real === undefined || folder.plainFiles.has(file)) return place;
  const real = await fs.realpath(place).catch(async (error: unknown) => {
    if (errorCode(error) === 'ENAMETOOLONG') throw refusals.cellFileOutside(cellId, file);
    return (await isLink(place)) ? '/' : undefined;
  });
  if (real !== undefined && !isWithin(folder.real, real)) throw refusals.cellFileOutside(cellId, file);
  return place;
}

export interface CellSources {
  readonly source: string;
  readonly testSource: string;
  readonly problem: FileProblem | null;
}

export async function readCellSources(folder: CellsFolder, cell: CellEntry): Promise<CellSources> {
  const place = await cellFilePath(folder, cell.id, cell.file);
  const tests = cell.language === 'python' ? await readTests(folder, cell.id) : '';
  try {
    return { source: utf8.decode(await fs.readFile(place)), testSource: tests, problem: null };
  } catch (error) {
    return { source: '', testSource: tests, problem: sourceProblem(cell, error) };
  }
}

async function readTests(folder: CellsFolder, cellId: string): Promise<string> {
  const name = testFileName(cellId);
  if (!folder.plainFiles.has(name)) return '';
  return utf8.decode(await fs.readFile(await cellFilePath(folder, cellId, name)));
}

function sourceProblem(cell: CellEntry, error: unknown): FileProblem {
  const about = { cellId: cell.id, file: `${cellsFolderName}/${cell.file}` };
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { ...about, code: 'source_missing', message: `${about.file} is missing; the cell is shown empty` };
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return { ...about, code: 'source_not_utf8', message: `${about.file} is not UTF-8 text; the cell is shown empty` };
  }
  return { ...about, code: 'source_unreadable', message: `${about.file} cannot be read (${code ?? 'unknown reason'})` };
}
