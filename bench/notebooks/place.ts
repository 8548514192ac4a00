// A notebook with given cells, written as files: thousands of edits over the wire would be another measurement.
import fs from 'node:fs';
import path from 'node:path';
import type { NotebookServer } from './server.ts';

export interface PlacedNotebook {
  readonly directory: string;
  readonly cellIds: readonly string[];
}

/** A Python cell by its source alone. */
export type WantedCell = string | { readonly language: string; readonly source: string };

export interface Wanted {
  readonly name: string;
  readonly sources: readonly WantedCell[];
  /** Tables of the notebook file, as text. */
  readonly tables?: string;
  /** Its workers, each as an inline table. */
  readonly workers?: readonly string[];
  /** Beside what every notebook has. */
  readonly dependencies?: readonly string[];
}

/** Its environment is synced and its session closed, unless it asks for more dependencies: the next open syncs those. */
export async function placeNotebook(
  server: NotebookServer,
  { name, sources, tables = '', workers = [], dependencies = [] }: Wanted,
): Promise<PlacedNotebook> {
  const created = await server.create(name);
  const { path: directory } = created;
  await server.prepared(created);
  await server.close(created.session_id);
  const cells = sources.map((one) => (typeof one === 'string' ? { language: 'python', source: one } : one));
  const cellIds = cells.map((_, index) => `c${String(index).padStart(7, '0')}`);
  for (const [index, id] of cellIds.entries()) {
    fs.writeFileSync(path.join(directory, 'cells', `${id}.py`), cells[index]?.source ?? '');
  }
  const entries = cellIds.map(
    (id, order) =>
      `    { id = "${id}", file = "${id}.py", language = "${cells[order]?.language}", order = ${order} },\n`,
  );
  replaceIn(path.join(directory, 'notebook.toml'), 'cells = []', `cells = [\n${entries.join('')}]`);
  replaceIn(path.join(directory, 'notebook.toml'), 'workers = []', `workers = [${workers.join(', ')}]`);
  fs.appendFileSync(path.join(directory, 'notebook.toml'), tables);
  const needed = dependencies.map((one) => `    "${one}",\n`).join('');
  replaceIn(path.join(directory, 'pyproject.toml'), 'dependencies = [\n', `dependencies = [\n${needed}`);
  return { directory, cellIds };
}

function replaceIn(file: string, before: string, after: string): void {
  const text = fs.readFileSync(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${path.basename(file)} has no ${before.trim()}`);
  fs.writeFileSync(file, text.replace(before, after));
}
