// A name that several variants define: which cell holds the value of each, and under which name its result is stored.
import type { LiveNotebook } from '../notebook/index.ts';

export interface VariantView {
  readonly variant: string;
  readonly cell_id: string;
  /** What `lineage` and `publish` call it. */
  readonly lineage_variable: string;
}

/** Undefined for a name that one cell defines, or none. */
export function variantsOf(live: LiveNotebook, name: string): VariantView[] | undefined {
  const producers = live.dag().variable_producer;
  const producer = Object.hasOwn(producers, name) ? producers[name] : undefined;
  const [, kind, group] = /^(sweep|fanout):(.*)$/s.exec(producer ?? '') ?? [];
  if (kind === undefined) return undefined;
  const { cells, variants } = live.shape();
  const members = variants.find((one) => one.group === group)?.members ?? [];
  const defines = (cellId: string): boolean => cells.get(cellId)?.defines.includes(name) ?? false;
  if (kind === 'sweep')
    return members
      .filter(({ cellId }) => defines(cellId))
      .map(({ name: variant, cellId }) => ({ variant, cell_id: cellId, lineage_variable: name }));
  const cellId = live
    .notebook()
    .cells.map(({ id }) => id)
    .findLast((id) => cells.get(id)?.fanout === group && defines(id));
  return members.map(({ name: variant }) => ({
    variant,
    cell_id: cellId ?? '',
    lineage_variable: variantLabel(name, variant),
  }));
}

/** The name of one variant's value in the result of a cell that runs once for each. */
export const variantLabel = (name: string, variant: string): string => `${name}@variant=${variant}`;
