// What the graph reads off the notebook: which cells are linked, how each stands, which are looked for.
import { labelOf, type NotebookModel, reach, whyStale } from '../state/index.ts';
import type { Scope } from './GraphTools.tsx';
import type { Pair, Spot } from './graphLayout.ts';
import { lineKey } from './graphSight.ts';

export function pairsOf(edges: NotebookModel['edges'], around: string | null, scope: Scope): readonly Pair[] {
  const kept = (way: 'above' | 'below') =>
    around === null || (scope !== way && scope !== 'around') ? [] : reach(edges, around, way);
  const cells = scope === 'all' ? null : new Set([...kept('above'), ...kept('below')]);
  const pairs = new Map<string, Pair>();
  for (const { from_cell_id, to_cell_id } of edges)
    if (cells === null || (cells.has(from_cell_id) && cells.has(to_cell_id)))
      pairs.set(lineKey([from_cell_id, to_cell_id]), [from_cell_id, to_cell_id]);
  return [...pairs.values()];
}

export function statesOf(model: NotebookModel, spots: ReadonlyMap<string, Spot>): ReadonlyMap<string, string> {
  const stateOf = (id: string): string => {
    const cell = model.cells.get(id);
    return cell && whyStale(model, cell) !== null ? 'stale' : (cell?.status ?? 'idle');
  };
  return new Map([...spots.keys()].map((id) => [id, stateOf(id)]));
}

/** Cells that are called so, or define a name like it. */
export function cellsFound(model: NotebookModel, search: string): ReadonlySet<string> {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return new Set();
  const fits = (text: string): boolean => text.toLowerCase().includes(wanted);
  return new Set(
    model.order.filter((id) => fits(labelOf(model, id)) || model.cells.get(id)?.defines.some(fits) === true),
  );
}
