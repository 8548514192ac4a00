// Search in lists of cell ids that are kept in cell order.

type Positions = ReadonlyMap<string, number>;

/** How many of the ids stand before `place`. */
export function countBefore(ids: readonly string[], place: number, position: Positions): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((position.get(ids[middle] ?? '') ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function inCellOrder(ids: Iterable<string>, position: Positions): string[] {
  return [...ids].sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0));
}

/** `ids` with `more` among them; few newcomers are put in their places, many are sorted in. */
export function withIds(ids: readonly string[], more: ReadonlySet<string>, position: Positions): readonly string[] {
  if (more.size > 4) return inCellOrder(new Set(ids).union(more), position);
  let all = ids;
  for (const id of more) {
    const place = position.get(id) ?? 0;
    const at = countBefore(all, place, position);
    if (all[at] !== id) all = all.toSpliced(at, 0, id);
  }
  return all;
}
