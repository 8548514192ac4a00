// The wiring rules written down a second time, as one pass over the cells with no regard for speed. Tests hold the
// incremental graph against it.
import type { DagCell, Edge, VariantSelection } from './types.ts';

export interface OracleGraph {
  readonly edges: readonly Edge[];
  readonly producers: Readonly<Record<string, string>>;
  readonly upstream: Readonly<Record<string, readonly string[]>>;
  readonly downstream: Readonly<Record<string, readonly string[]>>;
}

type Producer = { kind: 'cell'; id: string; copies: number; group: string | null } | { kind: 'sweep'; group: string };

export function oracleGraph(cells: readonly DagCell[], selections: readonly VariantSelection[]): OracleGraph {
  const members = (group: string): DagCell[] => cells.filter((cell) => cell.variant?.group === group);
  const selectionOf = (group: string) => selections.findLast((one) => one.group === group);
  const isSweep = (group: string): boolean => selectionOf(group)?.mode === 'sweep';
  const isActive = ({ id, variant }: DagCell): boolean => {
    if (variant === null || isSweep(variant.group)) return true;
    const all = members(variant.group);
    return (all.find((one) => one.variant?.name === selectionOf(variant.group)?.active) ?? all[0])?.id === id;
  };
  const active = cells.filter(isActive);
  const history: { name: string; producer: Producer; by: DagCell }[] = [];
  const edges: Edge[] = [];
  for (const cell of active) {
    const own = cell.variant !== null && isSweep(cell.variant.group) ? cell.variant.group : null;
    const groups = new Set<string>();
    const found: Edge[] = [];
    for (const variable of [...cell.references, ...cell.builtinReferences, ...cell.discardedReads]) {
      const above = history.filter(({ name, by }) => name === variable && (own === null || by.variant?.group !== own));
      const producer = above.at(-1)?.producer;
      if (producer?.kind === 'sweep') {
        groups.add(producer.group);
        for (const { by } of above) {
          if (by.variant?.group === producer.group) found.push({ from: by.id, to: cell.id, variable });
        }
      } else if (producer !== undefined) {
        if (producer.group !== null) groups.add(producer.group);
        for (let copy = 0; copy < producer.copies; copy += 1) found.push({ from: producer.id, to: cell.id, variable });
      }
    }
    const { startFrom } = cell;
    const seed = active.find(({ id }) => id === startFrom?.cellId && id !== cell.id);
    if (
      startFrom !== null &&
      seed?.defines.includes(startFrom.variable) &&
      !found.some((edge) => edge.variable === startFrom.variable)
    ) {
      found.push({ from: seed.id, to: cell.id, variable: startFrom.variable });
    }
    for (const id of new Set(cell.after)) {
      if (id !== cell.id && active.some((one) => one.id === id)) found.push({ from: id, to: cell.id, variable: '' });
    }
    edges.push(...found);
    const wanted =
      cell.perVariant === null || cell.variant !== null
        ? undefined
        : (cell.perVariant.group ?? (groups.size === 1 ? [...groups][0] : undefined));
    const fanout = wanted !== undefined && groups.has(wanted) && members(wanted).length > 0 ? wanted : null;
    for (const name of cell.defines) {
      const producer: Producer =
        own === null
          ? { kind: 'cell', id: cell.id, copies: fanout === null ? 1 : members(fanout).length, group: fanout }
          : { kind: 'sweep', group: own };
      history.push({ name, producer, by: cell });
    }
  }
  const unique = (ids: string[]): string[] => [...new Set(ids)];
  return {
    edges,
    producers: Object.fromEntries(
      history.map(({ name, producer }) => [
        name,
        producer.kind === 'sweep'
          ? `sweep:${producer.group}`
          : producer.group === null
            ? producer.id
            : `fanout:${producer.group}`,
      ]),
    ),
    upstream: Object.fromEntries(
      cells.map(({ id }) => [id, unique(edges.filter(({ to }) => to === id).map(({ from }) => from))]),
    ),
    downstream: Object.fromEntries(
      cells.map(({ id }) => [id, unique(edges.filter(({ from }) => from === id).map(({ to }) => to))]),
    ),
  };
}
