// Who defines and who reads each name. Updates copy the outer maps once and replace only the entries they change.
import type { DagCell, NameIndex, VariantRole } from './types.ts';

export const emptyNames: NameIndex = { definers: new Map(), readers: new Map(), mentions: new Map() };

/** What a cell contributes to the graph; an inactive variant contributes nothing. */
export interface Contribution {
  readonly id: string;
  readonly defines: readonly string[];
  readonly reads: readonly string[];
  readonly mentions: readonly string[];
}

export function contribution(cell: DagCell, role: VariantRole | undefined): Contribution {
  if (role?.isActive === false) return { id: cell.id, defines: [], reads: [], mentions: [] };
  return {
    id: cell.id,
    defines: cell.defines,
    reads: [...cell.references, ...cell.builtinReferences],
    mentions: cell.startFrom === null ? cell.after : [...cell.after, cell.startFrom.cellId],
  };
}

/** `position` is that of the new order; whoever moved within it must be in both `gone` and `come`. */
export function updateNames(
  index: NameIndex,
  gone: readonly Contribution[],
  come: readonly Contribution[],
  position: ReadonlyMap<string, number>,
): NameIndex {
  const definers = new Map(index.definers);
  const readers = new Map(index.readers);
  const mentions = new Map(index.mentions);
  for (const { id, defines, reads, mentions: named } of gone) {
    for (const name of defines) {
      const left = (definers.get(name) ?? []).filter((one) => one !== id);
      if (left.length === 0) definers.delete(name);
      else definers.set(name, left);
    }
    for (const name of reads) removeFrom(readers, name, id);
    for (const cellId of named) removeFrom(mentions, cellId, id);
  }
  // Many cells may come at once (a notebook opens): each list is sorted once, not at each arrival.
  const unsorted = new Map<string, string[]>();
  const fresh = { readers: new Set<string>(), mentions: new Set<string>() };
  for (const { id, defines, reads, mentions: named } of come) {
    for (const name of defines) {
      const list = unsorted.get(name) ?? [...(definers.get(name) ?? [])];
      if (!list.includes(id)) list.push(id);
      unsorted.set(name, list);
    }
    for (const name of reads) addTo(readers, fresh.readers, name, id);
    for (const cellId of named) addTo(mentions, fresh.mentions, cellId, id);
  }
  for (const [name, list] of unsorted) {
    definers.set(
      name,
      list.sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0)),
    );
  }
  return { definers, readers, mentions };
}

function removeFrom(sets: Map<string, ReadonlySet<string>>, key: string, id: string): void {
  const left = new Set(sets.get(key));
  left.delete(id);
  if (left.size === 0) sets.delete(key);
  else sets.set(key, left);
}

/** Sets named in `fresh` were copied during this update and may be added to in place. */
function addTo(sets: Map<string, ReadonlySet<string>>, fresh: Set<string>, key: string, id: string): void {
  const known = sets.get(key);
  if (known instanceof Set && fresh.has(key)) {
    known.add(id);
    return;
  }
  fresh.add(key);
  sets.set(key, new Set(known).add(id));
}
