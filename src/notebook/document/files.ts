// The files below a notebook directory that are read and written: the notebook file, and cell sources with their tests
// under `cells/`. A source is only ever reached inside `cells/`, whatever the file names and wherever links lead.

import fs from 'node:fs/promises';
import path from 'node:path';
import { type CellLanguage, languageFacts } from '../../cellLanguages.ts';
import { type Refusal, refusals } from '../../errors/index.ts';
import { isPassing, NotPlainFile, readPlainFile } from '../../files/index.ts';
import { errorCode, isLink, isWithin } from '../storage/index.ts';
import { cellsFolderName, type FileProblem, notebookFileName } from './notebook.ts';
import type { CellEntry } from './schema.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** A mark that some editors put before a text is not part of it: no language takes it for code. */
const sourceText = new TextDecoder('utf-8', { fatal: true });

export const sourceFileName = (cellId: string, language: CellLanguage): string =>
  `${cellId}${languageFacts[language].ending}`;

export const testFileName = (cellId: string): string => `${cellId}.test.py`;

export const notebookFilePath = (directory: string): string => path.join(directory, notebookFileName);

export async function readNotebookFile(directory: string): Promise<string> {
  const bytes = await readPlainFile(notebookFilePath(directory)).catch(async (error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const isThere = await fs.stat(directory).then(
        (found) => found.isDirectory(),
        () => false,
      );
      throw isThere ? refusals.notebookFileNotFound(directory) : refusals.notebookDirectoryNotFound();
    }
    if (code === 'EACCES' || code === 'EPERM') throw refusals.pathForbidden('notebook path');
    if (code === 'EISDIR') throw unusable('is a directory');
    if (error instanceof NotPlainFile) throw unusable(`is ${error.message}`);
    throw error;
  });
  try {
    return utf8.decode(bytes);
  } catch {
    throw unusable('is not UTF-8 text');
  }
}

function unusable(reason: string): Refusal {
  return refusals.notebookFileInvalid({ file: notebookFileName, line: null, key: null }, reason);
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
  const [real, home] = await Promise.all([fs.realpath(folder), fs.realpath(directory)]).catch((error: unknown) => {
    if (errorCode(error) === 'ELOOP') throw refusals.cellsNoFolder();
    return [];
  });
  if (real !== undefined && home !== undefined && !isWithin(home, real)) {
    throw refusals.pathUnusable('notebook path', 'its cells folder is a link that leads out of the notebook');
  }
  if (real !== undefined && !(await fs.stat(real)).isDirectory()) {
    throw refusals.cellsNoFolder();
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
  readonly problems: readonly FileProblem[];
}

export async function readCellSources(folder: CellsFolder, cell: CellEntry): Promise<CellSources> {
  const source = await readText(folder, cell.id, cell.file);
  const testFile = testFileName(cell.id);
  const hasTests = cell.language === 'python' && folder.plainFiles.has(testFile);
  const tests = hasTests ? await readText(folder, cell.id, testFile) : { text: '', problems: [] };
  return { source: source.text, testSource: tests.text, problems: [...source.problems, ...tests.problems] };
}

/** The text of a cell's file; undefined where there is none to be read. */
export async function readCellText(place: string): Promise<string | undefined> {
  try {
    return sourceText.decode(await readPlainFile(place));
  } catch (error) {
    if (isPassing(error)) throw error;
    return undefined;
  }
}

/** A file that cannot be read gives no text and says why; one outside `cells/` is refused. */
async function readText(
  folder: CellsFolder,
  cellId: string,
  file: string,
): Promise<{ text: string; problems: readonly FileProblem[] }> {
  const place = await cellFilePath(folder, cellId, file);
  try {
    return { text: sourceText.decode(await readPlainFile(place)), problems: [] };
  } catch (error) {
    // A text that cannot be read at this moment is not an empty one.
    if (isPassing(error)) throw error;
    return { text: '', problems: [{ cellId, ...describeProblem(`${cellsFolderName}/${file}`, errorCode(error)) }] };
  }
}

function describeProblem(file: string, code: string | undefined): Omit<FileProblem, 'cellId'> {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { file, code: 'source_missing', message: `${file} is missing and is shown empty` };
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return { file, code: 'source_not_utf8', message: `${file} is not UTF-8 text and is shown empty` };
    default:
      return { file, code: 'source_unreadable', message: `${file} cannot be read (${code ?? 'unknown reason'})` };
  }
}
