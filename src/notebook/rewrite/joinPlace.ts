// Where a joined cell stands: where the first of them stood, or the last, as long as the cells between them read what they read and
// are read as they are.
import { refusals } from '../../errors/index.ts';
import type { Shape } from '../shape/index.ts';

/** `order`: all cells; `joined`: those that become one, in that order. Gives all that are left, the first standing for the joined. */
export function orderWithJoined(
  order: readonly string[],
  joined: readonly string[],
  shape: Shape,
  nameOf: (cellId: string) => string,
): string[] {
  const [first = '', last = ''] = [joined[0], joined.at(-1)];
  const isJoined = new Set(joined);
  const between = order.slice(order.indexOf(first), order.indexOf(last)).filter((id) => !isJoined.has(id));
  const after = (id: string): string[] => between.filter((other) => order.indexOf(other) > order.indexOf(id));
  const before = (id: string): string[] => between.filter((other) => order.indexOf(other) < order.indexOf(id));
  /** Why the cells cannot change places with those between. */
  const obstacles = (passed: (id: string) => string[]): string[] =>
    joined.flatMap((id) => passed(id).flatMap((other) => obstacle(shape, id, other, nameOf(other)) ?? []));

  const up = obstacles(before);
  if (up.length === 0) return order.filter((id) => id === first || !isJoined.has(id));
  const down = obstacles(after);
  if (down.length === 0) return order.flatMap((id) => (id === last ? [first] : isJoined.has(id) ? [] : [id]));
  throw refusals.cellsNotJoined(
    `There are cells between them that must stay between them: ${[...new Set([...up, ...down])].join('; ')}. Join them too, or move them first`,
  );
}

/** Why two cells cannot change places; undefined when they can. */
function obstacle(shape: Shape, moved: string, other: string, name: string): string | undefined {
  const [mine, theirs] = [shape.cells.get(moved), shape.cells.get(other)];
  if (!mine || !theirs) return undefined;
  const reads = (one: typeof mine): readonly string[] => [...one.references, ...one.builtinReferences];
  const met = (some: readonly string[], others: readonly string[]): string | undefined =>
    some.find((one) => others.includes(one));
  const made = met(theirs.defines, reads(mine));
  if (made !== undefined) return `${name} makes \`${made}\``;
  const read = met(reads(theirs), mine.defines);
  if (read !== undefined) return `${name} reads \`${read}\``;
  const both = met(theirs.defines, mine.defines);
  if (both !== undefined) return `${name} makes \`${both}\` too`;
  const isAfter = mine.directives.after.includes(other) || theirs.directives.after.includes(moved);
  return isAfter ? `${name} has its place by @after` : undefined;
}
