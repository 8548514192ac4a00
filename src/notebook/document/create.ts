// Makes a notebook directory. The notebook file comes last and appears whole: until then there is no notebook, and a
// directory left by a crash is adopted by the next attempt.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type CellLanguage, usualLanguage } from '../../cellLanguages.ts';
import { refusals } from '../../errors/index.ts';
import { severalAtOnce, syncFolder } from '../../files/index.ts';
import { printValue } from '../../toml/index.ts';
import { checkedNotebookName, directoryNameFor, errorCode, isLink, projectNameFor } from '../storage/index.ts';
import { createAtomically } from './atomicWrite.ts';
import { newCellId } from './cells.ts';
import { listCells, notebookFilePath, sourceFileName } from './files.ts';
import { type ImportedOutput, importedFile, printImported } from './importedOutputs.ts';
import { cellsFolderName, type Notebook } from './notebook.ts';
import { readNotebook } from './read.ts';
import { inTurnAt, printTime } from './save.ts';

export interface StartingCell {
  readonly id: string;
  readonly language: CellLanguage;
  readonly source: string;
  /** What it showed where it comes from. */
  readonly outputs?: readonly ImportedOutput[];
}

/** One empty cell to begin with. */
export const starterCells = (): readonly StartingCell[] => [{ id: newCellId(), language: usualLanguage, source: '' }];

export interface NewNotebook {
  readonly name: string;
  /** `major.minor`. */
  readonly pythonVersion: string;
  /** Whether version control is told what to leave out; it is unless said otherwise. */
  readonly ignoreFile?: boolean;
  readonly cells?: readonly StartingCell[];
  /** Packages beside those that every notebook has. */
  readonly requirements?: readonly string[];
  /** Files beside the cells, by their names. */
  readonly files?: readonly NewFile[];
  readonly now?: () => Temporal.Instant;
}

const gitignore = `# Runtime state and local files; everything else of a notebook is committed.
.svc/
.venv/
renv/library/
renv/staging/
__pycache__/
*.pyc
/work/
/.mcp.json
/CLAUDE.md
`;

/** Where a notebook of that name would lie. `parent` is a checked path. */
export const notebookPlace = (parent: string, name: string): string =>
  path.join(parent, directoryNameFor(checkedNotebookName(name)));

/** The same, refused when something is there. */
export async function notebookDirectory(parent: string, name: string): Promise<string> {
  const directory = notebookPlace(parent, name);
  await makeFolder(parent);
  if (await fs.lstat(directory).catch(() => undefined)) throw refusals.notebookExists(directory);
  return directory;
}

/** `parent` is a checked path (see storage); it is made when missing. A directory without a notebook file is adopted. */
export const createNotebook = async (parent: string, wanted: NewNotebook): Promise<Notebook> =>
  (await make(parent, wanted, false)).notebook;

/** Creates a notebook for `use`, and takes it back when that fails. */
export async function createNotebookFor<Result>(
  parent: string,
  wanted: NewNotebook,
  use: (notebook: Notebook) => Promise<Result>,
): Promise<Result> {
  const { notebook, takeBack } = await make(parent, wanted, false);
  try {
    return await use(notebook);
  } catch (error) {
    await inTurnAt(notebook.directory, takeBack);
    throw error;
  }
}

/** A notebook that is there already is kept as it is; files that it lacks are added. */
export const createOrComplete = async (parent: string, wanted: NewNotebook): Promise<Notebook> =>
  (await make(parent, wanted, true)).notebook;

interface Made {
  readonly notebook: Notebook;
  /** Removes what was made, and nothing that was there before. */
  takeBack(): Promise<void>;
}

function make(parent: string, wanted: NewNotebook, keepsExisting: boolean): Promise<Made> {
  const name = checkedNotebookName(wanted.name);
  const directory = notebookPlace(parent, name);
  return inTurnAt(directory, async () => {
    if (await isLink(directory)) {
      throw refusals.notebookNameInvalid('A link stands where the notebook would be; choose another name');
    }
    const cellsFolder = path.join(directory, cellsFolderName);
    const firstMade = await makeFolder(cellsFolder);
    const runtimeFolder = path.join(directory, '.svc');
    const hadRuntimeFolder = existsSync(runtimeFolder);
    await listCells(directory);
    const hasNotebook = await fs.access(notebookFilePath(directory)).then(
      () => true,
      () => false,
    );
    if (hasNotebook) {
      if (!keepsExisting) throw refusals.notebookExists(directory);
      for (const [file, content] of scaffold(wanted)) await createAtomically(path.join(directory, file), content);
      return { notebook: await readNotebook(directory), takeBack: async () => {} };
    }
    const { cells = [], now = Temporal.Now.instant } = wanted;
    const made: string[] = [];
    const takeBack = async (): Promise<void> => {
      for (const file of made.toReversed()) await fs.rm(file, { force: true });
      if (!hadRuntimeFolder) await fs.rm(runtimeFolder, { recursive: true, force: true });
      // Only what was made here, and only when nobody has put anything into it since.
      const ours = [cellsFolder, directory].filter((folder) => firstMade !== undefined && folder.startsWith(firstMade));
      for (const folder of ours) await fs.rmdir(folder).catch(() => {});
    };
    try {
      const texts = cells.map((cell): NewFile => [cellFile(cell), cell.source]);
      await severalAtOnce([...texts, ...scaffold(wanted)], async ([file, content]) => {
        if (await createAtomically(path.join(directory, file), content)) made.push(path.join(directory, file));
      });
      await writeImported(directory, cells);
      const isNew = await createAtomically(notebookFilePath(directory), notebookFile(name, cells, printTime(now())));
      if (!isNew) throw refusals.notebookExists(directory);
      made.push(notebookFilePath(directory));
      await syncFolder(parent);
      return { notebook: await readNotebook(directory), takeBack };
    } catch (error) {
      await takeBack();
      throw error;
    }
  });
}

/** Belongs to this machine, as results do: it lies where they lie. */
async function writeImported(directory: string, cells: readonly StartingCell[]): Promise<void> {
  const shown = cells.flatMap(({ id, outputs = [] }) => (outputs.length > 0 ? [[id, outputs] as const] : []));
  if (shown.length === 0) return;
  const file = importedFile(directory);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await createAtomically(file, JSON.stringify(printImported(Object.fromEntries(shown))));
}

type NewFile = readonly [file: string, content: string];

/** Files beside the cells. What is there already stays. */
function scaffold({
  name,
  pythonVersion,
  requirements = [],
  ignoreFile = true,
  files = [],
}: NewNotebook): readonly NewFile[] {
  const project: NewFile = ['pyproject.toml', projectFile(checkedNotebookName(name), pythonVersion, requirements)];
  return [project, ...(ignoreFile ? [['.gitignore', gitignore] as const] : []), ...files];
}

const cellFile = ({ id, language }: StartingCell): string => path.join(cellsFolderName, sourceFileName(id, language));

/** Gives the first folder that was not there. */
async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await fs.mkdir(folder, { recursive: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw refusals.pathUnusable('parent path', 'a file stands where a directory is needed');
    }
    if (code === 'ENAMETOOLONG')
      throw refusals.pathUnusable('parent path', 'a name in it is too long for the file system');
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') throw refusals.pathForbidden('parent path');
    throw error;
  }
}

function notebookFile(name: string, starting: readonly StartingCell[], time: string): string {
  const entries = starting.map(
    ({ id, language }, order) =>
      `    { id = "${id}", file = "${sourceFileName(id, language)}", language = "${language}", order = ${order} },\n`,
  );
  const cells = entries.length === 0 ? '[]' : `[\n${entries.join('')}]`;
  return `notebook_id = "${randomUUID()}"
name = ${printValue(name)}
created_at = ${time}
updated_at = ${time}
cells = ${cells}
workers = []
mounts = []
`;
}

function projectFile(name: string, pythonVersion: string, requirements: readonly string[]): string {
  const more = requirements.map((requirement) => `    ${printValue(requirement)},\n`).join('');

  return `[project]
name = "${projectNameFor(name)}"
version = "0.1.0"
description = ""
requires-python = "==${pythonVersion}.*"
dependencies = [
    "pyarrow>=18.0.0",
    "orjson>=3.10.0",
    "cloudpickle>=3.0.0",
${more}]

[tool.uv]
`;
}
