// Everything that always holds of a notebook's directory: its file, its cells, the records that the service keeps beside them
// and the results in its own store. Nothing is changed or opened as a notebook, so that whoever has it open is not disturbed.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type Flaw, flawsOfNotebookStore, putsBackSmallValues, readLocalBlobs } from '../../artifacts/index.ts';
import { readSqlite } from '../../database/index.ts';
import { Refusal } from '../../errors/index.ts';
import { readOwnFile } from '../../files/index.ts';
import {
  cellsFolderName,
  isTemporary,
  type Notebook,
  notebookFileName,
  readNotebook,
  testFileName,
} from '../document/index.ts';
import { checkRuntimeFolder } from '../storage/index.ts';
import { flawsBeside } from './beside.ts';
import { flawsOfResults } from './results.ts';

const runtimeFolder = '.svc';
const storeFolder = `${runtimeFolder}/artifacts`;

/** The database with the results of a notebook. */
export const resultsFileOf = (directory: string): string => path.join(directory, storeFolder, 'artifacts.sqlite');

/** What looks wrong is looked at again: an edit replaces one file after the other. */
export async function flawsOfNotebook(directory: string, signal: AbortSignal): Promise<Flaw[]> {
  const first = await flawsSeen(directory, signal);
  if (first.length === 0) return first;
  const again = new Set((await flawsSeen(directory, signal)).map(nameOf));
  return first.filter((flaw) => again.has(nameOf(flaw)));
}

const nameOf = ({ code, where }: Flaw): string => `${code} ${where}`;

async function flawsSeen(directory: string, signal: AbortSignal): Promise<Flaw[]> {
  const flaws = [
    ...(await flawsOfDocument(directory)),
    ...(await flawsBeside(directory)),
    ...(await flawsOfRecords(directory)),
  ];
  signal.throwIfAborted();
  for await (const flaw of flawsOfKept(directory, signal)) flaws.push(flaw);
  return flaws;
}

async function flawsOfDocument(directory: string): Promise<Flaw[]> {
  let notebook: Notebook;
  try {
    notebook = await readNotebook(directory);
  } catch (error) {
    // The folder was deleted meanwhile.
    if (!(await fs.stat(directory).catch(() => undefined))) return [];
    const found = error instanceof Error ? error.message : String(error);
    const remedy = `Correct ${notebookFileName} where it says, or bring the file back from version control or a backup.`;
    if (!(error instanceof Refusal)) throw error;
    return [{ level: 'problem', code: 'notebook_unreadable', where: notebookFileName, found, remedy }];
  }
  const sources = notebook.problems.map(
    ({ cellId, file, code, message }): Flaw => ({
      level: 'problem',
      code,
      where: file,
      found: `cell ${cellId}: ${message}`,
      remedy: 'Bring the file back from version control or a backup, or delete the cell.',
    }),
  );
  return [...sources, ...(await strayFiles(directory, notebook))];
}

async function strayFiles(directory: string, { cells }: Notebook): Promise<Flaw[]> {
  const known = new Set(cells.flatMap(({ id, file }) => [file, testFileName(id)]));
  const entries = await fs.readdir(path.join(directory, cellsFolderName), { withFileTypes: true }).catch(() => []);
  const stray = entries.filter((entry) => entry.isFile() && !known.has(entry.name) && !isTemporary(entry.name));
  return stray.map(({ name }) => ({
    level: 'warning',
    code: 'file_of_no_cell',
    where: `${cellsFolderName}/${name}`,
    found: `${cellsFolderName}/${name}: no cell of ${notebookFileName} names this file`,
    remedy: `Name it in ${notebookFileName}, or delete it.`,
  }));
}

async function flawsOfRecords(directory: string): Promise<Flaw[]> {
  const folder = path.join(directory, runtimeFolder);
  try {
    await checkRuntimeFolder(directory);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const remedy = 'Remove the link: the service keeps its files in a folder of the notebook itself.';
    return [{ level: 'problem', code: 'runtime_folder_is_link', where: runtimeFolder, found: error.message, remedy }];
  }
  const flaws: Flaw[] = [];
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const { name } of entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json')))
    flaws.push(...(await flawsOfRecord(folder, name)));
  flaws.push(...(await openToOthers(resultsFileOf(directory), `${storeFolder}/artifacts.sqlite`)));
  return flaws;
}

async function flawsOfRecord(folder: string, name: string): Promise<Flaw[]> {
  const [file, where] = [path.join(folder, name), `${runtimeFolder}/${name}`];
  const flaws = await openToOthers(file, where);
  const content = await readOwnFile(file).catch(() => undefined);
  try {
    if (content) JSON.parse(String(content));
    return flaws;
  } catch {
    const remedy = 'Delete it, or bring it back from a backup: it is taken for an empty one.';
    return [...flaws, { level: 'warning', code: 'record_malformed', where, found: `${where} is no JSON`, remedy }];
  }
}

async function openToOthers(file: string, where: string): Promise<Flaw[]> {
  const found = await fs.lstat(file).catch(() => undefined);
  if (!found || (found.mode & 0o007) === 0) return [];
  const mode = (found.mode & 0o777).toString(8);
  const remedy = `Close it to other accounts of the machine: chmod o= ${file}`;
  return [{ level: 'problem', code: 'open_to_others', where, found: `${where} has mode ${mode}`, remedy }];
}

const withoutDatabase = (values: number): Flaw => ({
  level: 'problem',
  code: 'results_missing',
  where: `${storeFolder}/artifacts.sqlite`,
  found: `${storeFolder}/artifacts.sqlite is not there, and ${values} values lie beside it that nobody knows`,
  remedy: `Bring ${storeFolder} back from a backup, or delete it: the cells run again.`,
});

async function* flawsOfKept(directory: string, signal: AbortSignal): AsyncGenerator<Flaw> {
  const file = resultsFileOf(directory);
  const folder = path.join(directory, storeFolder);
  if (!(await fs.stat(file).catch(() => undefined))) {
    const values = await fs.readdir(path.join(folder, 'blobs')).catch(() => []);
    if (values.length > 0) yield withoutDatabase(values.length);
    return;
  }
  const queries = readSqlite(file);
  try {
    const blobs = readLocalBlobs(path.join(folder, 'blobs'));
    const putsBack = await putsBackSmallValues(folder);
    yield* flawsOfNotebookStore({ queries, blobs, dialect: 'sqlite', signal }, putsBack);
    yield* flawsOfResults(queries);
  } catch (error) {
    signal.throwIfAborted();
    const found = `the results cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    const remedy = `Bring ${storeFolder} back from a backup, or delete it: the cells run again.`;
    yield { level: 'problem', code: 'results_unreadable', where: `${storeFolder}/artifacts.sqlite`, found, remedy };
  } finally {
    await queries.close();
  }
}
