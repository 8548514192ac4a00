// Reads a notebook directory. Opening never writes; a cell whose file is missing or unreadable opens empty, with the
// problem noted.

import path from 'node:path';
import { type CellSources, listCells, readCellSources, readNotebookFile, testFileName } from './files.ts';
import {
  type Cell,
  type Connection,
  cellsFolderName,
  type MalformedConnection,
  type Notebook,
  notebookFileName,
  nothingFetched,
} from './notebook.ts';
import { parseNotebookFile } from './parse.ts';
import { type CellEntry, connectionName, connectionSchema, type NotebookFile, secretManagerKeys } from './schema.ts';
import { connectionInMemory, envInMemory } from './secrets.ts';

const filesAtOnce = 32;

/** `remembered` is an earlier reading, whose secrets stay usable although the file leaves them blank. */
export async function readNotebook(directory: string, remembered?: Notebook): Promise<Notebook> {
  const text = await readNotebookFile(directory);
  const { file } = parseNotebookFile(text);
  return assemble({ directory, text, file }, await readSources(directory, file.cells), remembered);
}

/** After an edit of the notebook file alone: sources of cells already known are not read again. */
export async function notebookAfterEdit(before: Notebook, file: NotebookFile, text: string): Promise<Notebook> {
  const known = new Map(before.cells.map((cell) => [cell.id, cell]));
  const isKnown = ({ id, file: source }: CellEntry): boolean => known.get(id)?.file === source;
  const read: ReadonlyMap<string, CellSources> = await readSources(
    before.directory,
    file.cells.filter((cell) => !isKnown(cell)),
  );
  const sources = new Map(
    file.cells.map(({ id }) => {
      const problems = before.problems.filter(({ cellId }) => cellId === id);
      const cell = known.get(id);
      return [id, read.get(id) ?? { source: cell?.source ?? '', testSource: cell?.testSource ?? '', problems }];
    }),
  );
  return assemble({ directory: before.directory, text, file }, sources, before);
}

/** What the notebook file and these cells are read from, by path in the directory. */
export function sourceFilesOf({ cells }: Notebook, cellIds: Iterable<string>): string[] {
  const wanted = new Set(cellIds);
  const names = cells.flatMap(({ id, file, testSource }) => {
    if (!wanted.has(id)) return [];
    return testSource === '' ? [file] : [file, testFileName(id)];
  });
  return [notebookFileName, ...names.map((name) => path.join(cellsFolderName, name))];
}

/** The sources as their files hold them, by path in the directory; those that could not be read are not among them. */
export function sourcesRead({ cells, problems }: Notebook): Map<string, string> {
  const unread = new Set(problems.map(({ file }) => file));
  const read = cells.map(({ file, source }) => [path.join(cellsFolderName, file), source] as const);
  return new Map(read.filter(([file]) => !unread.has(file)));
}

async function readSources(directory: string, cells: readonly CellEntry[]): Promise<Map<string, CellSources>> {
  const found = new Map<string, CellSources>();
  if (cells.length === 0) return found;
  const folder = await listCells(directory);
  const waiting = cells.values();
  async function readNext(): Promise<void> {
    for (const cell of waiting) found.set(cell.id, await readCellSources(folder, cell));
  }
  await Promise.all(Array.from({ length: filesAtOnce }, readNext));
  return found;
}

function assemble(
  { directory, text, file }: { directory: string; text: string; file: NotebookFile },
  sources: ReadonlyMap<string, CellSources>,
  remembered: Notebook | undefined,
): Notebook {
  const rememberedCells = new Map(remembered?.cells.map((cell) => [cell.id, cell]));
  const cells = file.cells.map((entry) => toCell(entry, sources.get(entry.id), rememberedCells.get(entry.id)));
  const { connections, malformedConnections } = sortConnections(file.connections);
  const rememberedConnections = new Map(remembered?.connections.map((one) => [one.name, one]));
  return {
    directory,
    text,
    id: file.notebook_id,
    name: file.name,
    createdAt: file.created_at,
    updatedAt: file.updated_at,
    worker: file.worker,
    timeout: file.timeout,
    reactive: file.reactive,
    keepsWidgets: file.keep_widgets,
    strictPackages: file.strict_packages,
    env: envInMemory(file.env, remembered?.env ?? {}),
    fetched: remembered?.fetched ?? nothingFetched,
    ai: file.ai,
    secretManager: secretManagerOf(file.secret_manager),
    mounts: file.mounts,
    workers: file.workers,
    connections: connections.map((one) => connectionInMemory(one, rememberedConnections.get(one.name))),
    malformedConnections,
    catalogs: file.catalogs,
    r: file.r,
    variantGroups: file.variant_group,
    cells: cells.sort((a, b) => a.order - b.order),
    problems: file.cells.flatMap(({ id }) => sources.get(id)?.problems ?? []),
  };
}

function toCell(entry: CellEntry, sources: CellSources | undefined, remembered: Cell | undefined): Cell {
  return {
    id: entry.id,
    file: entry.file,
    language: entry.language,
    order: entry.order,
    worker: entry.worker,
    timeout: entry.timeout,
    env: envInMemory(entry.env, remembered?.env ?? {}),
    mounts: entry.mounts,
    createdBy: entry.created_by,
    updatedBy: entry.updated_by,
    source: sources?.source ?? '',
    testSource: sources?.testSource ?? '',
  };
}

function secretManagerOf(block: Readonly<Record<string, unknown>>): Notebook['secretManager'] {
  const known = secretManagerKeys.flatMap((key) => {
    const value = block[key];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  return Object.fromEntries(known);
}

function sortConnections(blocks: Readonly<Record<string, unknown>>): {
  connections: Connection[];
  malformedConnections: MalformedConnection[];
} {
  const connections: Connection[] = [];
  const malformedConnections: MalformedConnection[] = [];
  for (const [name, body] of Object.entries(blocks)) {
    const checkedName = connectionName.safeParse(name);
    const checked = connectionSchema.safeParse(body);
    const issue = checkedName.error?.issues[0] ?? checked.error?.issues[0];
    if (checked.success && issue === undefined) {
      const { driver, auth, options, credential, ...extras } = checked.data;
      connections.push({ name, driver, auth, options, credential, extras });
    } else {
      const where =
        issue === undefined || issue.path.length === 0 || issue.path[0] === 'driver' ? '' : `${issue.path.join('.')}: `;
      malformedConnections.push({ name, body, error: `${where}${issue?.message ?? 'is not a table'}` });
    }
  }
  return { connections, malformedConnections };
}
