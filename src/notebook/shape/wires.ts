// The wires of every cell: the graph's edges, each with which of a producer's values it brings. A cell whose wires are as
// before keeps the same list, so that only what was rewired is looked at again.
import type { LoopAnnotation } from '../annotations/index.ts';
import { type Dag, inputsOf } from '../dag/index.ts';
import type { Wire } from '../state/index.ts';

type Wires = ReadonlyMap<string, readonly Wire[]>;

export function wiresOf(dag: Dag, before: Wires, loops: ReadonlyMap<string, LoopAnnotation>): Wires {
  const variants = new Map(
    dag.variantGroups
      .filter(({ mode }) => mode === 'sweep')
      .flatMap(({ group, members }) => members.map(({ cellId, name }) => [cellId, { group, name }] as const)),
  );
  return new Map(
    dag.topologicalOrder.map((id) => {
      const edges: readonly Wire[] = inputsOf(dag, id);
      const loop = loops.get(id) ?? null;
      const isPlain = variants.size === 0 && loop === null;
      return [id, isPlain ? edges : sameOr(before.get(id), edges.map(described(variants, loop)))];
    }),
  );
}

const described =
  (variants: ReadonlyMap<string, NonNullable<Wire['variant']>>, loop: LoopAnnotation | null) =>
  ({ from, variable }: Wire): Wire => {
    const variant = variants.get(from);
    const isSeed = loop !== null && loop.startFromCell === from && loop.carry === variable;
    return {
      from,
      variable,
      ...(variant === undefined ? {} : { variant }),
      ...(isSeed && loop.startFromIter !== null ? { iteration: loop.startFromIter } : {}),
    };
  };

const sameOr = (before: readonly Wire[] | undefined, after: readonly Wire[]): readonly Wire[] =>
  before && JSON.stringify(before) === JSON.stringify(after) ? before : after;
