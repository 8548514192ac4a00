// Makes a notebook directory. The notebook file comes last and appears whole: until then there is no notebook, and a
// directory left by a crash is adopted by the next attempt.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { printValue } from '../../toml/index.ts';
import { checkedNotebookName, directoryNameFor, projectNameFor } from '../storage/names.ts';
import { errorCode, isLink } from '../storage/paths.ts';
import { createAtomically, syncFolder } from './atomicWrite.ts';
import { newCellId } from './cells.ts';
import { listCells, notebookFilePath, sourceFileName } from './files.ts';
import { cellsFolderName, type Notebook } from './notebook.ts';
import { readNotebook } from './read.ts';
import { inTurn, printTime } from './save.ts';

export interface NewNotebook {
  readonly name: string;
  /** `major.minor`. */
  readonly pythonVersion: string;
  readonly starterCell?: boolean;
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

/** `parent` is a checked path (see storage); it is made when missing. A directory without a notebook file is adopted. */
export function createNotebook(parent: string, wanted: NewNotebook): Promise<Notebook> {
  const name = checkedNotebookName(wanted.name);
  const directory = path.join(parent, directoryNameFor(name));
  return inTurn(directory, async () => {
    if (await isLink(directory)) {
      throw refusals.notebookNameInvalid('A link stands where the notebook would be; choose another name');
    }
    await makeFolder(path.join(directory, cellsFolderName));
    await listCells(directory);
    const hasNotebook = await fs.access(notebookFilePath(directory)).then(
      () => true,
      () => false,
    );
    if (hasNotebook) throw refusals.notebookExists(directory);
    const cellId = wanted.starterCell ? newCellId() : undefined;
    if (cellId !== undefined) await createAtomically(cellPath(directory, cellId), '');
    await createAtomically(path.join(directory, 'pyproject.toml'), projectFile(name, wanted.pythonVersion));
    await createAtomically(path.join(directory, '.gitignore'), gitignore);
    const { now = Temporal.Now.instant } = wanted;
    const isNew = await createAtomically(notebookFilePath(directory), notebookFile(name, cellId, printTime(now())));
    if (!isNew) {
      if (cellId !== undefined) await fs.rm(cellPath(directory, cellId), { force: true });
      throw refusals.notebookExists(directory);
    }
    await syncFolder(parent);
    return readNotebook(directory);
  });
}

const cellPath = (directory: string, cellId: string): string =>
  path.join(directory, cellsFolderName, sourceFileName(cellId, 'python'));

async function makeFolder(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true });
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

function notebookFile(name: string, cellId: string | undefined, time: string): string {
  const cells =
    cellId === undefined
      ? '[]'
      : `[\n    { id = "${cellId}", file = "${sourceFileName(cellId, 'python')}", language = "python", order = 0 },\n]`;
  return `notebook_id = "${randomUUID()}"
name = ${printValue(name)}
created_at = ${time}
updated_at = ${time}
cells = ${cells}
workers = []
mounts = []
`;
}

function projectFile(name: string, pythonVersion: string): string {
  return `[project]
name = "${projectNameFor(name)}"
version = "0.1.0"
description = ""
requires-python = "==${pythonVersion}.*"
dependencies = [
    "pyarrow>=18.0.0",
    "orjson>=3.10.0",
    "cloudpickle>=3.0.0",
]

[tool.uv]
`;
}
