// Which of several places decides: the annotation in the source, then the cell's key, then the notebook's.
import { type Cell, looksSecret, type Mount, type Notebook } from '../document/index.ts';
import type { Annotations } from './types.ts';

export type Level = 'annotation' | 'cell' | 'notebook' | 'default';

export interface Resolved<Value> {
  readonly value: Value;
  /** Who decided, for messages that name the lever to pull. */
  readonly from: Level;
}

export const localWorker = 'local';
export const defaultTimeoutSeconds = 300;

type CellKeys = Pick<Cell, 'worker' | 'timeout' | 'env' | 'mounts'>;
type NotebookKeys = Pick<Notebook, 'worker' | 'timeout' | 'env' | 'fetched' | 'mounts'>;

export function resolveWorker(annotations: Annotations, cell: CellKeys, notebook: NotebookKeys): Resolved<string> {
  return firstSet(annotations.worker, cell.worker, notebook.worker, localWorker);
}

export function resolveTimeout(
  annotations: Annotations,
  cell: CellKeys,
  notebook: NotebookKeys,
  otherwise: number = defaultTimeoutSeconds,
): Resolved<number> {
  return firstSet(annotations.timeout, cell.timeout, notebook.timeout, otherwise);
}

/** An empty value of a secret-looking name is a placeholder in a file and never hides one from further out. */
export function resolveEnv(annotations: Annotations, cell: CellKeys, notebook: NotebookKeys): Record<string, string> {
  return { ...notebookEnv(notebook), ...withoutPlaceholders(cell.env), ...annotations.env };
}

/** What the notebook gives to whatever runs, whichever cell it is. */
export const notebookEnv = ({ env, fetched }: Pick<NotebookKeys, 'env' | 'fetched'>): Record<string, string> => ({
  ...withoutPlaceholders(env),
  ...filledByFetch({ env, fetched }),
});

/** The fetched values that count: what somebody wrote by hand comes before them. */
export const filledByFetch = ({ env, fetched }: Pick<NotebookKeys, 'env' | 'fetched'>): Record<string, string> =>
  Object.fromEntries(Object.entries(fetched.env).filter(([name]) => (env[name] ?? '') === ''));

export function resolveMounts(annotations: Annotations, cell: CellKeys, notebook: NotebookKeys): Mount[] {
  const all = [...notebook.mounts, ...cell.mounts, ...annotations.mounts];
  return [...new Map(all.map((mount) => [mount.name, mount])).values()];
}

/** The mounts whose names a cell speaks of, or declares itself. */
export function mountsOf({
  cell,
  annotations,
  notebook,
}: {
  readonly cell: CellKeys & { readonly source: string };
  readonly annotations: Annotations;
  readonly notebook: NotebookKeys;
}): Mount[] {
  const own = new Set([...cell.mounts, ...annotations.mounts].map(({ name }) => name));
  return resolveMounts(annotations, cell, notebook).filter(
    ({ name }) => own.has(name) || new RegExp(`\\b${name}\\b`).test(cell.source),
  );
}

function firstSet<Value>(
  annotation: Value | null,
  cell: Value | null,
  notebook: Value | null,
  otherwise: Value,
): Resolved<Value> {
  if (annotation !== null) return { value: annotation, from: 'annotation' };
  if (cell !== null) return { value: cell, from: 'cell' };
  if (notebook !== null) return { value: notebook, from: 'notebook' };
  return { value: otherwise, from: 'default' };
}

function withoutPlaceholders(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' || !looksSecret(name)));
}
