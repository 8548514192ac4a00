// The other side of the wiring: who reads from each cell, and who makes each name. Only entries that change are replaced.
import { withIds } from './places.ts';
import type { Touched } from './touched.ts';
import type { DagState, Wiring } from './types.ts';

export interface Rewired {
  readonly old: Wiring;
  readonly now: Wiring;
}

export function updateDownstream(
  before: DagState,
  touched: readonly Touched[],
  changes: ReadonlyMap<string, Rewired>,
  state: DagState,
): ReadonlyMap<string, readonly string[]> {
  const stirred = new Map<string, { gone: Set<string>; come: Set<string> }>();
  function stir(producer: string): { gone: Set<string>; come: Set<string> } {
    const known = stirred.get(producer) ?? { gone: new Set(), come: new Set() };
    stirred.set(producer, known);
    return known;
  }
  for (const [id, { old, now }] of changes) {
    for (const producer of old.upstream) stir(producer).gone.add(id);
    for (const producer of now.upstream) stir(producer).come.add(id);
  }
  for (const { id, isStructural } of touched) {
    // Moved cells may stand in another order in the lists of those they read from.
    const isHere = state.position.has(id);
    if (isHere && !isStructural) continue;
    for (const producer of before.wirings.get(id)?.upstream ?? []) stir(producer).gone.add(id);
    if (isHere) for (const producer of state.wirings.get(id)?.upstream ?? []) stir(producer).come.add(id);
  }
  if (stirred.size === 0) return before.downstream;
  const downstream = new Map(before.downstream);
  for (const [producer, { gone, come }] of stirred) {
    const left = (downstream.get(producer) ?? []).filter((id) => !gone.has(id));
    if (left.length + come.size === 0 || !state.position.has(producer)) downstream.delete(producer);
    else downstream.set(producer, withIds(left, come, state.position));
  }
  for (const { id } of touched) if (!state.position.has(id)) downstream.delete(id);
  return downstream;
}

export function updateProducers(
  before: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
  state: DagState,
): ReadonlyMap<string, string> {
  if (names.size === 0) return before;
  const producers = new Map(before);
  for (const name of names) {
    const last = state.names.definers.get(name)?.at(-1);
    if (last === undefined) producers.delete(name);
    else producers.set(name, producerName(last, state));
  }
  return producers;
}

function producerName(id: string, { roles, wirings }: DagState): string {
  const sweep = roles.get(id)?.sweep ?? null;
  if (sweep !== null) return `sweep:${sweep}`;
  const fanout = wirings.get(id)?.fanout ?? null;
  return fanout === null ? id : `fanout:${fanout.group}`;
}
