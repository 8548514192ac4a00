// The order of the notebook's own, except that each cell comes after those it reads from.

/** `running`: those that take part; what is not in the graph does not run. */
export function notebookOrder(
  cells: Iterable<{ readonly id: string; readonly upstream_ids: readonly string[] }>,
  running: Iterable<string>,
): string[] {
  const left = new Set(running);
  const known = new Map([...cells].map((cell) => [cell.id, cell]));
  const order: string[] = [];
  const place = (id: string): void => {
    // Taken out first, so that a cell is placed once.
    if (!left.delete(id)) return;
    for (const above of known.get(id)?.upstream_ids ?? []) place(above);
    order.push(id);
  };
  for (const id of known.keys()) place(id);
  return order;
}
