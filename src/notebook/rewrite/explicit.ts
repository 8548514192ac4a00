// *Make it explicit*: a name that several cells write gets a name of its own from each definition on. Looked at first, and made
// while the notebook is as it was then.
import { createHash } from 'node:crypto';
import { type AmbiguousNames, EngineRefused, type ExplicitNames, type ExplicitPlan } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { AmbiguousName, ExplicitPlanRecord, ExplicitPreviewBody } from '../../protocol/index.ts';
import { isIdentifier } from '../annotations/index.ts';
import type { Notebook } from '../document/index.ts';
import { renamedIn } from '../languages/index.ts';
import { type LiveNotebook, writeTexts } from '../live/index.ts';
import type { Shape } from '../shape/index.ts';
import { namedCells } from './namedCells.ts';

type Looked = Pick<LiveNotebook, 'notebook' | 'shape'>;

export async function ambiguousNames(names: ExplicitNames, { notebook, shape }: Looked): Promise<AmbiguousName[]> {
  return ambiguousRecords(await names.ambiguous(namedCells(notebook(), shape())), notebook().cells);
}

/** With the ids of the cells in place of their places. */
export function ambiguousRecords(found: AmbiguousNames, cells: Notebook['cells']): AmbiguousName[] {
  const idAt = (place: number): string => cells[place]?.id ?? '';
  return found.map(({ name, cells: uses }) => ({
    name,
    cells: uses.map(({ cell, defines, reads }) => ({
      cell_id: idAt(cell),
      defines,
      reads_cell_id: reads === null ? null : idAt(reads),
    })),
  }));
}

export const previewExplicit = (names: ExplicitNames, { notebook, shape }: Looked, name: string) =>
  lookedAt(names, notebook(), shape(), name);

/** Gives what was changed. Refused when anything is another than it was under `token`. */
export async function makeExplicit(
  names: ExplicitNames,
  live: Pick<LiveNotebook, 'change'>,
  { name, token, author }: { readonly name: string; readonly token: string; readonly author: string },
): Promise<ExplicitPlanRecord> {
  let made: ExplicitPlanRecord | undefined;
  await live.change(async (notebook, { shape, locks }) => {
    if (tokenOf(notebook, name) !== token) throw refusals.previewOutdated();
    const { token: _token, ...plan } = await lookedAt(names, notebook, shape, name);
    made = plan;
    const texts = new Map(plan.changes.map(({ cell_id, after }) => [cell_id, after]));
    return writeTexts({ notebook, locks, author }, texts);
  });
  if (!made) throw new Error('The cells were rewritten without a plan.');
  return made;
}

async function lookedAt(
  names: ExplicitNames,
  notebook: Notebook,
  shape: Shape,
  name: string,
): Promise<ExplicitPreviewBody> {
  if (!isIdentifier(name) || name.startsWith('_')) throw refusals.nameNotAmbiguous(name, []);
  const plan = await planOf(names, notebook, shape, name);
  const idAt = (place: number): string => notebook.cells[place]?.id ?? '';
  if (plan.steps.length === 0)
    throw refusals.nameNotAmbiguous(name, [...new Set(plan.kept.map(({ reason }) => reason))]);
  return {
    name,
    steps: plan.steps.map((step) => ({ cell_id: idAt(step.cell), name: step.name })),
    kept: plan.kept.map(({ cell, reason }) => ({ cell_id: idAt(cell), reason })),
    changes: plan.cells.flatMap(({ cell: place, source, reads, defines }) => {
      const cell = notebook.cells[place];
      if (!cell) return [];
      const after = source ?? renamedIn(notebook, cell, { name, reads: reads ?? name, defines: defines ?? name });
      return [{ cell_id: cell.id, before: cell.source, after, lines: changedLines(cell.source, after) }];
    }),
    token: tokenOf(notebook, name),
  };
}

async function planOf(names: ExplicitNames, notebook: Notebook, shape: Shape, name: string): Promise<ExplicitPlan> {
  try {
    return await names.plan(name, namedCells(notebook, shape, name));
  } catch (error) {
    throw error instanceof EngineRefused ? refusals.nameNotChanged(name, error.reason) : error;
  }
}

const tokenOf = ({ cells }: Pick<Notebook, 'cells'>, name: string): string =>
  createHash('sha256')
    .update(JSON.stringify([name, ...cells.map(({ id, source, testSource }) => [id, source, testSource])]))
    .digest('hex');

/** A name is replaced within its line; only a `# @name` may be a line more. */
function changedLines(before: string, after: string): ExplicitPreviewBody['changes'][number]['lines'] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const found: ExplicitPreviewBody['changes'][number]['lines'] = [];
  let added = 0;
  for (const [at, line] of is.entries()) {
    if (line === was[at - added]) continue;
    const isNew = is.length - was.length > added;
    found.push({ line: at + 1, before: isNew ? null : (was[at - added] ?? null), after: line });
    if (isNew) added += 1;
  }
  return found;
}
