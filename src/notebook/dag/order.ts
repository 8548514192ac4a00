// The order in which cells can run: first in, first out, starting in cell order. Where there is none, a cycle is named.
import type { DagCell, DagState } from './types.ts';

export interface Order {
  readonly topologicalOrder: readonly string[];
  readonly roots: readonly string[];
  readonly leaves: readonly string[];
  readonly cycle: string | null;
}

export function orderCells(cells: readonly DagCell[], { roles, wirings, downstream }: DagState): Order {
  const active = cells.map(({ id }) => id).filter((id) => roles.get(id)?.isActive !== false);
  const roots: string[] = [];
  const leaves: string[] = [];
  const waitingFor = new Map<string, number>();
  for (const id of active) {
    const count = wirings.get(id)?.upstream.length ?? 0;
    waitingFor.set(id, count);
    if (count === 0) roots.push(id);
    if ((downstream.get(id)?.length ?? 0) === 0) leaves.push(id);
  }
  const order = [...roots];
  for (const id of order) {
    for (const below of downstream.get(id) ?? []) {
      const left = (waitingFor.get(below) ?? 0) - 1;
      waitingFor.set(below, left);
      if (left === 0) order.push(below);
    }
  }
  if (order.length === active.length) return { topologicalOrder: order, roots, leaves, cycle: null };
  const ordered = new Set(order);
  const stuck = active.filter((id) => !ordered.has(id));
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
