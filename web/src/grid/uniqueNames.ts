// Two columns of one name: each can be asked for under a name of its own, as the server gives it.

/** The second `a` is `a_1`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; seen.has(unique) || (count > 1 && taken.has(unique)); count += 1) unique = `${name}_${count}`;
    seen.add(unique);
    return unique;
  });
}
