// One order of cells within another.

/** The wanted cells in their order; each of the others below the cell that it is below of now. Cells that are gone stay gone. */
export function mergedOrder(wanted: readonly string[], present: readonly string[]): string[] {
  const isWanted = new Set(wanted);
  const isThere = new Set(present);
  const below = new Map<string | undefined, string[]>();
  let above: string | undefined;
  for (const id of present)
    if (isWanted.has(id)) above = id;
    else below.set(above, [...(below.get(above) ?? []), id]);
  return [
    ...(below.get(undefined) ?? []),
    ...wanted.filter((id) => isThere.has(id)).flatMap((id) => [id, ...(below.get(id) ?? [])]),
  ];
}
