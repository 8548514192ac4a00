// What others ask of the graph: a cell's neighbours and standing, and the bodies that go over the wire.
import type { Dag, DagCell, Edge, VariantGroup, Wiring } from './types.ts';

export function findCell({ cells, state }: Dag, cellId: string): DagCell | undefined {
  const place = state.position.get(cellId);
  return place === undefined ? undefined : cells[place];
}

/** While the graph has an error no cell has neighbours: it still runs, without inputs. */
export function upstreamIds({ error, state }: Dag, cellId: string): readonly string[] {
  return error === null ? (state.wirings.get(cellId)?.upstream ?? []) : [];
}

export function downstreamIds({ error, state }: Dag, cellId: string): readonly string[] {
  return error === null ? (state.downstream.get(cellId) ?? []) : [];
}

export function isLeaf(dag: Dag, cellId: string): boolean {
  return downstreamIds(dag, cellId).length === 0;
}

export function isActiveVariant({ state }: Dag, cellId: string): boolean {
  return state.roles.get(cellId)?.isActive ?? true;
}

export function shadowWarnings({ error, state }: Dag, cellId: string): readonly string[] {
  return error === null ? (state.wirings.get(cellId)?.shadowWarnings ?? []) : [];
}

/** Sweep groups whose values reach the cell, and the one over which it runs. */
export function sweepsOf({ state }: Dag, cellId: string): Pick<Wiring, 'sweepGroups' | 'fanout'> {
  return state.wirings.get(cellId) ?? { sweepGroups: [], fanout: null };
}

/** Edges into a cell: where each of its inputs comes from. */
export function inputsOf({ error, state }: Dag, cellId: string): readonly Edge[] {
  return error === null ? (state.wirings.get(cellId)?.edges ?? []) : [];
}

/** Which of a cell's names others read, and who; sorted by name. */
export function consumedVariables(dag: Dag, cellId: string): ReadonlyMap<string, readonly string[]> {
  const consumers = new Map<string, Set<string>>();
  for (const reader of downstreamIds(dag, cellId)) {
    for (const { from, variable } of inputsOf(dag, reader)) {
      if (from !== cellId || variable === '') continue;
      consumers.set(variable, (consumers.get(variable) ?? new Set()).add(reader));
    }
  }
  return new Map([...consumers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, readers]) => [name, [...readers]]));
}

/** Everything below a cell, in topological order. */
export function transitiveDownstream(dag: Dag, cellId: string): readonly string[] {
  return closure(dag, cellId, downstreamIds);
}

/** Everything above a cell, in topological order. */
export function transitiveUpstream(dag: Dag, cellId: string): readonly string[] {
  return closure(dag, cellId, upstreamIds);
}

function closure(dag: Dag, cellId: string, next: (dag: Dag, id: string) => readonly string[]): readonly string[] {
  const found = new Set<string>();
  const waiting = [...next(dag, cellId)];
  for (const id of waiting) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...next(dag, id));
  }
  return dag.topologicalOrder.filter((id) => found.has(id));
}

export interface DagBody {
  readonly edges: readonly { from_cell_id: string; to_cell_id: string; variable: string }[];
  readonly topological_order: readonly string[];
  readonly leaves: readonly string[];
  readonly roots: readonly string[];
  readonly variable_producer: Readonly<Record<string, string>>;
  readonly error?: string;
}

/** Most edits leave the edges as they are; so does this. */
const edgeBodies = new WeakMap<Dag['edges'], DagBody['edges']>();

function edgesBody(edges: Dag['edges']): DagBody['edges'] {
  const known = edgeBodies.get(edges);
  if (known) return known;
  const body = edges.map(({ from, to, variable }) => ({ from_cell_id: from, to_cell_id: to, variable }));
  edgeBodies.set(edges, body);
  return body;
}

export function dagBody(dag: Dag): DagBody {
  return {
    edges: edgesBody(dag.edges),
    topological_order: dag.topologicalOrder,
    leaves: dag.leaves,
    roots: dag.roots,
    // Made when it is asked for, which an edit does not.
    get variable_producer() {
      return Object.fromEntries(dag.variableProducer);
    },
    ...(dag.error === null ? {} : { error: dag.error }),
  };
}

export interface VariantGroupBody {
  readonly group: string;
  readonly active_name: string;
  readonly active_cell_id: string;
  readonly mode: 'switch' | 'sweep';
  readonly members: readonly { cell_id: string; name: string; is_active: boolean }[];
}

export function variantGroupBody({ group, activeName, activeCellId, mode, members }: VariantGroup): VariantGroupBody {
  return {
    group,
    active_name: activeName,
    active_cell_id: activeCellId,
    mode,
    members: members.map(({ cellId, name, isActive }) => ({ cell_id: cellId, name, is_active: isActive })),
  };
}
