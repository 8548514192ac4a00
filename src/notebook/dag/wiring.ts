// Wires one cell to the cells above it: each name it reads comes from the nearest definition above, all members of a
// swept group together; `after` and `startFrom` reach cells by id, wherever they stand.
import { readsOf } from './names.ts';
import { countBefore } from './places.ts';
import type { DagCell, DagState, Edge, Wiring } from './types.ts';

export const unwired: Wiring = { edges: [], upstream: [], sweepGroups: [], fanout: null, shadowWarnings: [] };

/** `state.wirings` must already hold every cell above this one. */
export function wireCell(cell: DagCell, find: (id: string) => DagCell | undefined, state: DagState): Wiring {
  const role = state.roles.get(cell.id);
  if (role?.isActive === false) return unwired;
  const edges: Edge[] = [];
  const sweepGroups = new Set<string>();

  for (const variable of readsOf(cell)) {
    const nearest = definitionAbove(cell, variable, state);
    if (nearest === undefined) continue;
    const sweep = state.roles.get(nearest)?.sweep ?? null;
    const fanout = state.wirings.get(nearest)?.fanout ?? null;
    if (sweep !== null) {
      sweepGroups.add(sweep);
      for (const from of sweptDefinitions(cell, variable, sweep, state)) edges.push({ from, to: cell.id, variable });
    } else {
      if (fanout !== null) sweepGroups.add(fanout.group);
      for (let copy = 0; copy < (fanout?.variants ?? 1); copy += 1)
        edges.push({ from: nearest, to: cell.id, variable });
    }
  }

  const isReachable = (id: string): boolean =>
    id !== cell.id && find(id) !== undefined && state.roles.get(id)?.isActive !== false;
  const { startFrom } = cell;
  if (
    startFrom !== null &&
    isReachable(startFrom.cellId) &&
    !edges.some((edge) => edge.variable === startFrom.variable)
  ) {
    const isDefined = find(startFrom.cellId)?.defines.includes(startFrom.variable) ?? false;
    if (isDefined) edges.push({ from: startFrom.cellId, to: cell.id, variable: startFrom.variable });
  }
  for (const from of new Set(cell.after)) if (isReachable(from)) edges.push({ from, to: cell.id, variable: '' });

  return {
    edges,
    upstream: [...new Set(edges.map(({ from }) => from))],
    sweepGroups: [...sweepGroups],
    fanout: fanoutOf(cell, sweepGroups, state),
    shadowWarnings: shadowWarnings(cell, state),
  };
}

/** The nearest active definition above. Members of one swept group do not see each other's. */
function definitionAbove(cell: DagCell, variable: string, state: DagState): string | undefined {
  const sweep = state.roles.get(cell.id)?.sweep ?? null;
  const above = definitionsAbove(cell, variable, state);
  if (sweep === null) return above.definers[above.count - 1];
  return above.definers.slice(0, above.count).findLast((id) => state.roles.get(id)?.sweep !== sweep);
}

function sweptDefinitions(cell: DagCell, variable: string, sweep: string, state: DagState): readonly string[] {
  const { definers, count } = definitionsAbove(cell, variable, state);
  return definers.slice(0, count).filter((id) => state.roles.get(id)?.sweep === sweep);
}

function definitionsAbove(
  cell: DagCell,
  variable: string,
  { names, position }: DagState,
): { definers: readonly string[]; count: number } {
  const definers = names.definers.get(variable) ?? [];
  return { definers, count: countBefore(definers, position.get(cell.id) ?? 0, position) };
}

function fanoutOf(cell: DagCell, sweepGroups: ReadonlySet<string>, state: DagState): Wiring['fanout'] {
  if (cell.perVariant === null || cell.variant !== null) return null;
  const wanted = cell.perVariant.group;
  const [only] = sweepGroups;
  const group = wanted ?? (sweepGroups.size === 1 ? only : undefined);
  if (group === undefined || !sweepGroups.has(group)) return null;
  const member = state.roles.values().find((role) => role.sweep === group);
  return member === undefined ? null : { group, variants: member.variants };
}

function shadowWarnings(cell: DagCell, state: DagState): string[] {
  return cell.defines.flatMap((variable) => {
    const hidden = cell.mutationDefines.includes(variable) ? undefined : definitionAbove(cell, variable, state);
    return hidden === undefined ? [] : [`Variable '${variable}' shadows definition from cell ${hidden}`];
  });
}

export function sameWiring(a: Wiring, b: Wiring): boolean {
  return (
    sameFanout(a.fanout, b.fanout) &&
    sameList(a.upstream, b.upstream) &&
    sameList(a.sweepGroups, b.sweepGroups) &&
    sameList(a.shadowWarnings, b.shadowWarnings) &&
    a.edges.length === b.edges.length &&
    a.edges.every((edge, place) => edge.from === b.edges[place]?.from && edge.variable === b.edges[place]?.variable)
  );
}

export function sameFanout(a: Wiring['fanout'], b: Wiring['fanout']): boolean {
  return a?.group === b?.group && a?.variants === b?.variants;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, place) => one === b[place]);
}
