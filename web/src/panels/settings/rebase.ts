// What somebody wrote while somebody else saved: each change of the one is carried over to what the other left.

/** A list of things with names. What was changed here stays as it is here; the rest is as it was saved meanwhile. */
export function rebaseNamed<Entry>(
  nameOf: (entry: Entry) => string,
): (base: readonly Entry[], mine: readonly Entry[], saved: readonly Entry[]) => readonly Entry[] {
  return (base, mine, saved) => {
    const byName = (entries: readonly Entry[]) => new Map(entries.map((entry) => [nameOf(entry), entry]));
    const [before, here, there] = [byName(base), byName(mine), byName(saved)];
    const kept = mine.flatMap((entry) => {
      const name = nameOf(entry);
      if (!before.has(name) || !isSame(before.get(name), entry)) return [entry];
      const now = there.get(name);
      return now === undefined ? [] : [now];
    });
    const added = saved.filter((entry) => !before.has(nameOf(entry)) && !here.has(nameOf(entry)));
    return [...kept, ...added];
  };
}

/** Fields by name. */
export function rebaseFields<Value extends object>(base: Value, mine: Value, saved: Value): Value {
  const changed = Object.entries(mine).filter(([key, value]) => !isSame(value, Reflect.get(base, key)));
  return { ...saved, ...Object.fromEntries(changed) };
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
