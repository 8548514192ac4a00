// The order in which cells can run: first in, first out, starting in cell order. Where there is none, a cycle is named.
import type { DagCell, DagState } from './types.ts';

export interface Order {
  readonly topologicalOrder: readonly string[];
  readonly roots: readonly string[];
  readonly leaves: readonly string[];
  readonly cycle: string | null;
}

export function orderCells(cells: readonly DagCell[], { position, roles, wirings, downstream }: DagState): Order {
  const roots: string[] = [];
  const leaves: string[] = [];
  // By place: how many cells each still waits for. Arrays of numbers keep this off the budget of an edit.
  const waitingFor = new Int32Array(cells.length);
  let active = 0;
  for (const [place, { id }] of cells.entries()) {
    if (roles.get(id)?.isActive === false) continue;
    active += 1;
    const count = wirings.get(id)?.upstream.length ?? 0;
    waitingFor[place] = count;
    if (count === 0) roots.push(id);
    if (!downstream.has(id)) leaves.push(id);
  }
  const order = [...roots];
  for (const id of order) {
    for (const below of downstream.get(id) ?? []) {
      const place = position.get(below) ?? 0;
      const left = (waitingFor[place] ?? 0) - 1;
      waitingFor[place] = left;
      if (left === 0) order.push(below);
    }
  }
  if (order.length === active) return { topologicalOrder: order, roots, leaves, cycle: null };
  const stuck = cells.filter((_, place) => (waitingFor[place] ?? 0) > 0).map(({ id }) => id);
  return { topologicalOrder: [], roots: [], leaves: [], cycle: findCycle(stuck, wirings) };
}

/** Walking up from any stuck cell must come back to a cell already seen. */
function findCycle(stuck: readonly string[], wirings: DagState['wirings']): string {
  const isStuck = new Set(stuck);
  const walked: string[] = [];
  let at = stuck[0];
  while (at !== undefined && !walked.includes(at)) {
    walked.push(at);
    at = wirings.get(at)?.upstream.find((id) => isStuck.has(id));
  }
  const start = at === undefined ? 0 : walked.indexOf(at);
  const round = walked.slice(start).reverse();
  return `Cycle detected in DAG: ${[...round, round[0]].join(' → ')}`;
}
