// Who defines and who reads each name. Updates copy an outer map when it first changes and replace only the entries that
// do; what no edit touches is handed on.
import { withIds } from './places.ts';
import type { DagCell, NameIndex, VariantRole } from './types.ts';

export const emptyNames: NameIndex = { definers: new Map(), readers: new Map(), mentions: new Map() };

/** What a cell contributes to the graph; an inactive variant contributes nothing. */
export interface Contribution {
  readonly defines: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly mentions: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();
export const noContribution: Contribution = { defines: none, reads: none, mentions: none };

/** The names that a cell reads if somebody above defines them. */
export const readsOf = (cell: DagCell): readonly string[] => [
  ...cell.references,
  ...cell.builtinReferences,
  ...cell.discardedReads,
];

export function contribution(cell: DagCell, role: VariantRole | undefined): Contribution {
  if (role?.isActive === false) return noContribution;
  return {
    defines: new Set(cell.defines),
    reads: new Set(readsOf(cell)),
    mentions: new Set(cell.startFrom === null ? cell.after : [...cell.after, cell.startFrom.cellId]),
  };
}

export interface ContributionChange {
  readonly id: string;
  readonly old: Contribution;
  readonly now: Contribution;
  /** Whether the cell may stand elsewhere now: its place in every list is then looked for again. */
  readonly isStructural: boolean;
}

/** `position` is that of the new order. */
export function updateNames(
  index: NameIndex,
  changes: readonly ContributionChange[],
  position: ReadonlyMap<string, number>,
): NameIndex {
  const definers = collect(changes, ({ defines }) => defines, true);
  const readers = collect(changes, ({ reads }) => reads, false);
  const mentions = collect(changes, (one) => one.mentions, false);
  return {
    definers: replaceEntries(index.definers, definers, (ids = [], { gone, come }) => {
      const left = ids.filter((id) => !gone.has(id));
      return come.size === 0 && left.length === 0 ? undefined : withIds(left, come, position);
    }),
    readers: replaceEntries(index.readers, readers, replaceMembers),
    mentions: replaceEntries(index.mentions, mentions, replaceMembers),
  };
}

interface Members {
  readonly gone: Set<string>;
  readonly come: Set<string>;
}

/** By key, the cells that leave it and those that join it. With `ordered`, cells that moved do both. */
function collect(
  changes: readonly ContributionChange[],
  keysOf: (contribution: Contribution) => ReadonlySet<string>,
  ordered: boolean,
): Map<string, Members> {
  const collected = new Map<string, Members>();
  function at(key: string): Members {
    const known = collected.get(key) ?? { gone: new Set(), come: new Set() };
    collected.set(key, known);
    return known;
  }
  for (const { id, old, now, isStructural } of changes) {
    const [before, after] = [keysOf(old), keysOf(now)];
    const isMoved = ordered && isStructural;
    for (const key of before) if (isMoved || !after.has(key)) at(key).gone.add(id);
    for (const key of after) if (isMoved || !before.has(key)) at(key).come.add(id);
  }
  return collected;
}

function replaceEntries<Value>(
  entries: ReadonlyMap<string, Value>,
  changes: ReadonlyMap<string, Members>,
  replace: (value: Value | undefined, members: Members) => Value | undefined,
): ReadonlyMap<string, Value> {
  if (changes.size === 0) return entries;
  const replaced = new Map(entries);
  for (const [key, members] of changes) {
    const value = replace(entries.get(key), members);
    if (value === undefined) replaced.delete(key);
    else replaced.set(key, value);
  }
  return replaced;
}

function replaceMembers(ids: ReadonlySet<string> = none, { gone, come }: Members): ReadonlySet<string> | undefined {
  const left = ids.difference(gone).union(come);
  return left.size === 0 ? undefined : left;
}
