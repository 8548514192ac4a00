// The graph of a notebook as every edit tells it. Of a large notebook it is long, and an edit changes little of it: what
// is still the same object is printed once.
import type { LiveNotebook } from '../notebook/index.ts';

/** JSON of the payload. `withSource`: the cell whose new text travels along, to everyone but the one who typed it. */
export function dagJson(live: LiveNotebook, withSource: string | null): string {
  const { edges, roots, leaves, topological_order } = live.dag();
  const { cells: shapes, variantGroups } = live.shape();
  const cells = live.notebook().cells.map((cell) => {
    const shape = shapes.get(cell.id);
    return cell.id === withSource ? JSON.stringify(entryOf(cell, shape, cell.source)) : entryJson(cell, shape);
  });
  const graph = Object.entries({ edges, roots, leaves, topological_order, variant_groups: variantGroups });
  const parts = graph.map(([name, list]) => `"${name}":${listJson(list)}`);
  return `{${parts.join(',')},"cells":[${cells.join(',')}]}`;
}

type Cell = ReturnType<LiveNotebook['notebook']>['cells'][number];
type CellShape = ReturnType<ReturnType<LiveNotebook['shape']>['cells']['get']>;

function entryOf({ id, createdBy, updatedBy }: Cell, shape: CellShape, source: string | null): object {
  return {
    id,
    defines: shape?.defines ?? [],
    references: shape?.references ?? [],
    upstream_ids: shape?.upstreamIds ?? [],
    downstream_ids: shape?.downstreamIds ?? [],
    is_leaf: shape?.isLeaf ?? true,
    annotation_diagnostics: shape?.diagnostics ?? [],
    shadow_warnings: shape?.shadowWarnings ?? [],
    variant_group: shape?.variantGroup ?? null,
    variant_name: shape?.variantName ?? null,
    variant_active: shape?.variantActive ?? true,
    is_module_cell: shape?.isModuleCell ?? false,
    module_exports: shape?.isModuleCell ? shape.moduleExports : null,
    created_by: createdBy,
    updated_by: updatedBy,
    source,
  };
}

const entries = new WeakMap<Cell, { readonly shape: CellShape; readonly json: string }>();
const lists = new WeakMap<object, string>();

function entryJson(cell: Cell, shape: CellShape): string {
  const known = entries.get(cell);
  if (known && known.shape === shape) return known.json;
  const json = JSON.stringify(entryOf(cell, shape, null));
  entries.set(cell, { shape, json });
  return json;
}

function listJson(list: object): string {
  const known = lists.get(list);
  if (known !== undefined) return known;
  const json = JSON.stringify(list);
  lists.set(list, json);
  return json;
}
