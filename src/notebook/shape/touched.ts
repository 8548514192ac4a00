// What differs between two forms of a notebook.
import type { Shape } from './shape.ts';

/** Cells whose facts or wires differ between two forms of a notebook. What stayed the same is the same object. */
export function touchedBetween(before: Shape, after: Shape): Set<string> {
  const touched = new Set<string>();
  for (const [id, facts] of after.facts) {
    if (facts !== before.facts.get(id) || after.graph.wires.get(id) !== before.graph.wires.get(id)) touched.add(id);
  }
  return touched;
}
