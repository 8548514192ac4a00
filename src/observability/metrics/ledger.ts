/**
 * Rows by a name that callers choose (table, tenant, transform, model …), the least recently used one forgotten beyond
 * a bound: however many names there are, memory and the size of a scrape stay limited.
 */
export interface Ledger<Row> {
  /** The row of this name, made when new. */
  row(name: string): Row;
  find(name: string): Row | undefined;
  /** By name, in order of name. */
  entries(): [string, Row][];
  clear(): void;
}

export function createLedger<Row>(capacity: number, create: () => Row): Ledger<Row> {
  const rows = new Map<string, Row>();
  return {
    row(name) {
      const known = rows.get(name);
      const row = known ?? create();
      if (known !== undefined) rows.delete(name);
      rows.set(name, row);
      if (rows.size > capacity) {
        for (const oldest of rows.keys()) {
          rows.delete(oldest);
          break;
        }
      }
      return row;
    },
    find: (name) => rows.get(name),
    entries: () => [...rows].sort(([a], [b]) => (a < b ? -1 : 1)),
    clear: () => rows.clear(),
  };
}
