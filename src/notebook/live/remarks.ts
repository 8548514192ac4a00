// Remarks on the text of a Python cell while it is written: what the other cells give and read is known.
import { can } from '../../cellLanguages.ts';
import type { Remark, Ruff } from '../../engine/index.ts';
import { parseAnnotations } from '../annotations/index.ts';
import { cellOf } from '../document/index.ts';
import type { LiveNotebook } from './liveNotebook.ts';

/** Names that every cell finds. */
const given = ['display', 'get_ipython', 'Markdown', 'svc', 'In', 'Out', '_', '__', '___', '_i', '_ii', '_iii'];

const unusedImport = 'F401';

type LookedAt = Pick<LiveNotebook, 'notebook' | 'shape'>;

const isPython = (live: LookedAt, cellId: string): boolean =>
  can(cellOf(live.notebook(), cellId).language, 'be formatted');

export async function remarksOn(
  ruff: Ruff | undefined,
  live: LookedAt,
  { cellId, source, signal }: { cellId: string; source: string; signal: AbortSignal },
): Promise<readonly Remark[]> {
  if (!ruff || !isPython(live, cellId)) return [];
  const others = [...live.shape().cells].filter(([id]) => id !== cellId).map(([, cell]) => cell);
  const numbered = [...source.matchAll(/\b_i?\d+\b/g)].map(([name]) => name);
  const known = new Set([
    ...given,
    ...numbered,
    ...namesOfAnnotations(source),
    ...[...live.notebook().mounts, ...(cellOf(live.notebook(), cellId).mounts ?? [])].map(({ name }) => name),
    ...others.flatMap(({ defines }) => defines),
  ]);
  const read = new Set(others.flatMap(({ references }) => references));
  const found = (await ruff.check(source, known, signal)) ?? [];
  // What a cell imports is there for the cells that read it.
  return found.filter(({ code, message }) => code !== unusedImport || !read.has(importedName(message)));
}

/** What the first lines of a cell bring it: mounts, tables, files, folders. */
function namesOfAnnotations(source: string): string[] {
  const { mounts, tables, fetches, datasets, outputDirs, loop } = parseAnnotations(source);
  return [
    ...[...mounts, ...tables, ...fetches].map(({ name }) => name),
    ...datasets.map(({ variable }) => variable),
    ...outputDirs,
    ...(loop === null ? [] : [loop.carry]),
  ];
}

/** Of "`pandas as pd` imported but unused". */
function importedName(message: string): string {
  const [, quoted = ''] = /^`([^`]+)`/.exec(message) ?? [];
  const name = quoted.split(' as ').at(-1) ?? quoted;
  return name.split('.')[0] ?? name;
}

/** Undefined for what cannot be formatted. */
export const formatted = async (
  ruff: Ruff | undefined,
  live: LookedAt,
  { cellId, source, signal }: { cellId: string; source: string; signal: AbortSignal },
): Promise<string | undefined> => (ruff && isPython(live, cellId) ? ruff.format(source, signal) : undefined);
