// How far a change reaches: readers of a name between the place where its definition came or went and the next
// definition below, which hides it from everyone further down.
import { countBefore } from './places.ts';
import type { Touched } from './touched.ts';
import type { DagState } from './types.ts';

export interface Reach {
  /** One for each cell, by place: 1 when it must be wired again. */
  readonly cells: Uint8Array;
  readonly first: number;
  /** Names whose definitions differ. */
  readonly names: ReadonlySet<string>;
}

export function reachOf(touched: readonly Touched[], { names, position, roles }: DagState, count: number): Reach {
  const cells = new Uint8Array(count);
  const stretches = new Map<string, { from: number; to: number }>();
  function mark(id: string): void {
    const place = position.get(id);
    if (place !== undefined) cells[place] = 1;
  }

  for (const { id, old, now, isStructural, from, to } of touched) {
    mark(id);
    const changed = isStructural ? old.defines.union(now.defines) : old.defines.symmetricDifference(now.defines);
    for (const name of changed) {
      const known = stretches.get(name);
      stretches.set(name, { from: Math.min(from, known?.from ?? from), to: Math.max(to, known?.to ?? to) });
    }
    if (isStructural || changed.size > 0) for (const other of names.mentions.get(id) ?? []) mark(other);
  }

  for (const [name, { from, to }] of stretches) {
    const definers = names.definers.get(name) ?? [];
    // Members of a sweep are read together, however far apart they stand.
    const isSwept = roles.size > 0 && definers.some((id) => (roles.get(id)?.sweep ?? null) !== null);
    const next = isSwept ? undefined : definers[countBefore(definers, to + 1, position)];
    const end = next === undefined ? count : (position.get(next) ?? count);
    for (const id of [...(names.readers.get(name) ?? []), ...definers]) {
      const place = position.get(id) ?? -1;
      if (place >= from && place <= end) mark(id);
    }
  }
  const first = cells.indexOf(1);
  return { cells, first: first < 0 ? count : first, names: new Set(stretches.keys()) };
}
