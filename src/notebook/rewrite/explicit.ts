// *Make it explicit*: a name that several cells write gets a name of its own from each definition on. Looked at first, and made
// while the notebook is as it was then.
import { type AmbiguousNames, EngineRefused, type ExplicitNames, type ExplicitPlan } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { AmbiguousName, ExplicitPlanRecord, ExplicitPreviewBody } from '../../protocol/index.ts';
import { isIdentifier } from '../annotations/index.ts';
import type { Notebook } from '../document/index.ts';
import type { LiveNotebook } from '../live/index.ts';
import type { Shape } from '../shape/index.ts';
import { namedCells } from './namedCells.ts';
import { carriedOut, changesIn, type Order, tokenOf } from './preview.ts';

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
  order: Order,
): Promise<ExplicitPlanRecord> {
  const { token: _token, ...plan } = await carriedOut(live, order, (notebook, shape) =>
    lookedAt(names, notebook, shape, order.name),
  );
  return plan;
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
    changes: changesIn(notebook, name, plan.cells),
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
