// What a run would compute, and what lies above and below a cell.
import type { NotebookModel } from './model.ts';

export interface RunForecast {
  /** In the order of the notebook. */
  readonly cellIds: readonly string[];
  /** By how long each took when it last ran; those that never ran are not counted. */
  readonly estimateMs: number;
  /** Of how many nobody knows how long they take. */
  readonly unknown: number;
}

type Edges = readonly { readonly from_cell_id: string; readonly to_cell_id: string }[];

/** The cell, and all that it reads from (`above`) or that read from it (`below`), whatever lies between. */
export function reach(edges: Edges, cellId: string, way: 'above' | 'below'): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from_cell_id, to_cell_id } of edges) {
    const [here, there] = way === 'below' ? [from_cell_id, to_cell_id] : [to_cell_id, from_cell_id];
    next.set(here, [...(next.get(here) ?? []), there]);
  }
  const found = new Set([cellId]);
  for (const id of found) for (const neighbour of next.get(id) ?? []) found.add(neighbour);
  return found;
}

/** A run of these cells: they, and those above them that have no result of now. */
export function planOf(model: NotebookModel, wanted: readonly string[]): RunForecast {
  const run = new Set(wanted);
  for (const id of wanted)
    for (const above of reach(model.edges, id, 'above')) {
      const cell = model.cells.get(above);
      if (cell && cell.status !== 'ready' && cell.status !== 'running' && cell.variantActive) run.add(above);
    }
  const cellIds = model.order.filter((id) => run.has(id));
  const times = cellIds.map((id) => model.cells.get(id)?.durationMs ?? null);
  return {
    cellIds,
    estimateMs: times.reduce<number>((sum, time) => sum + (time ?? 0), 0),
    unknown: times.filter((time) => time === null).length,
  };
}
