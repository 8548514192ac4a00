// Builds the graph and keeps it: an update rewires the cells that an edit can reach and hands everything else on. The
// result is the same value as a build from scratch.
import { type Rewired, updateDownstream, updateProducers } from './downstream.ts';
import { emptyNames, updateNames } from './names.ts';
import { orderCells } from './order.ts';
import { inCellOrder } from './places.ts';
import { type Reach, reachOf } from './reach.ts';
import { findTouched, movedWindow } from './touched.ts';
import type { Dag, DagCell, DagState, VariantSelection, Wiring } from './types.ts';
import { resolveVariants, type Variants } from './variants.ts';
import { sameFanout, sameWiring, unwired, wireCell } from './wiring.ts';

export type DagChange =
  /** One cell, known by its id, says something else. */
  | { readonly kind: 'cell'; readonly cell: DagCell }
  /** Cells come, go or move; those that stay the same are the same objects. */
  | { readonly kind: 'cells'; readonly cells: readonly DagCell[] }
  | { readonly kind: 'selections'; readonly selections: readonly VariantSelection[] };

export interface DagUpdate {
  readonly dag: Dag;
  /** Cells whose wiring is another than before, in cell order; those that went are not named. */
  readonly rewired: readonly string[];
}

const emptyState: DagState = {
  position: new Map(),
  roles: new Map(),
  names: emptyNames,
  wirings: new Map(),
  downstream: new Map(),
  producers: new Map(),
};

export const emptyDag: Dag = {
  cells: [],
  selections: [],
  variantGroups: [],
  edges: [],
  topologicalOrder: [],
  roots: [],
  leaves: [],
  variableProducer: new Map(),
  error: null,
  state: emptyState,
};

export function buildDag(cells: readonly DagCell[], selections: readonly VariantSelection[] = []): Dag {
  return advance(emptyDag, cells, selections).dag;
}

export function updateDag(dag: Dag, change: DagChange): DagUpdate {
  switch (change.kind) {
    case 'cell': {
      const at = dag.state.position.get(change.cell.id);
      return advance(dag, at === undefined ? dag.cells : dag.cells.with(at, change.cell), dag.selections);
    }
    case 'cells':
      return advance(dag, change.cells, dag.selections);
    case 'selections':
      return advance(dag, dag.cells, change.selections);
  }
}

function advance(before: Dag, cells: readonly DagCell[], selections: readonly VariantSelection[]): DagUpdate {
  const moved = movedWindow(before.cells, cells);
  const position = moved === null ? before.state.position : new Map(cells.map(({ id }, place) => [id, place]));
  const variants = resolveVariants(cells, selections);
  const touched = findTouched(before, cells, moved, position, variants);
  const names = updateNames(before.state.names, touched, position);
  const wirings = new Map(before.state.wirings);
  for (const { id } of touched) if (!position.has(id)) wirings.delete(id);
  const wired: DagState = { ...before.state, position, roles: variants.roles, names, wirings };

  const { changes, changedNames } = rewire(cells, wired, wirings, reachOf(touched, wired, cells.length));
  const state: DagState = {
    ...wired,
    downstream: updateDownstream(before.state, touched, changes, wired),
    producers: updateProducers(before.state.producers, changedNames, wired),
  };
  const rewired = inCellOrder(changes.keys(), position);
  // A variant that is only renamed keeps its role and may still collide with another.
  const isSameGraph =
    changes.size === 0 && !touched.some(({ id, isStructural }) => isStructural || variants.roles.has(id));
  if (isSameGraph) {
    const variableProducer = before.error === null ? state.producers : emptyDag.variableProducer;
    return { dag: { ...before, cells, selections, variableProducer, state }, rewired };
  }
  return { dag: presentDag(cells, selections, variants, state), rewired };
}

/** Wires the reached cells from the top down, so that what stands above is always wired already. */
function rewire(
  cells: readonly DagCell[],
  state: DagState,
  wirings: Map<string, Wiring>,
  reach: Reach,
): { changes: Map<string, Rewired>; changedNames: Set<string> } {
  const find = (id: string): DagCell | undefined => cells[state.position.get(id) ?? -1];
  const changes = new Map<string, Rewired>();
  const changedNames = new Set(reach.names);
  for (let place = reach.first; place < cells.length; place += 1) {
    const cell = cells[place];
    if (cell === undefined || reach.cells[place] !== 1) continue;
    const known = wirings.get(cell.id);
    const old = known ?? unwired;
    const now = wireCell(cell, find, state);
    const isSame = sameWiring(old, now);
    if (known === undefined || !isSame) wirings.set(cell.id, now);
    if (!isSame) changes.set(cell.id, { old, now });
    if (sameFanout(old.fanout, now.fanout)) continue;
    // Readers of a cell that runs once per variant are wired once per variant too; they all stand below.
    for (const name of cell.defines) {
      changedNames.add(name);
      for (const reader of state.names.readers.get(name) ?? []) {
        const below = state.position.get(reader) ?? 0;
        if (below > place) reach.cells[below] = 1;
      }
    }
  }
  return { changes, changedNames };
}

function presentDag(
  cells: readonly DagCell[],
  selections: readonly VariantSelection[],
  { groups, collision }: Variants,
  state: DagState,
): Dag {
  const { cycle, ...order } = orderCells(cells, state);
  const error = collision ?? cycle;
  if (error !== null) return { ...emptyDag, cells, selections, variantGroups: groups, error, state };
  const edges = cells.flatMap(({ id }) => state.wirings.get(id)?.edges ?? []);
  const { producers: variableProducer } = state;
  return { cells, selections, variantGroups: groups, edges, ...order, variableProducer, error, state };
}
