// A module that some cell imports is used by the others, never made by them: each process imports it anew, and what a cell sets on
// it (`plt.rcParams['figure.dpi'] = 100`) is a setting, not a value. So such a cell reads the name and does not define it.
import type { DagCell } from '../dag/index.ts';

export interface NamesOfCell {
  readonly dagCell: DagCell;
  /** Those of its names that it binds by importing a module. */
  readonly modules: readonly string[];
}

/** Cells that nothing changes for are the same objects as before. */
export function createModuleUse(): (cells: readonly NamesOfCell[]) => DagCell[] {
  const known = new WeakMap<DagCell, { readonly used: string; readonly cell: DagCell }>();

  function without(cell: DagCell, used: readonly string[]): DagCell {
    const last = known.get(cell);
    if (last?.used === used.join()) return last.cell;
    const kept = (name: string): boolean => !used.includes(name);
    const { defines, mutationDefines } = cell;
    const made = { ...cell, defines: defines.filter(kept), mutationDefines: mutationDefines.filter(kept) };
    known.set(cell, { used: used.join(), cell: made });
    return made;
  }

  return (cells) => {
    const modules = cells.some(({ dagCell }) => dagCell.mutationDefines.length > 0) ? modulesIn(cells) : nothing;
    return cells.map(({ dagCell }) => {
      const used = dagCell.mutationDefines.filter((name) => modules.has(name));
      return used.length === 0 ? dagCell : without(dagCell, used);
    });
  };
}

const nothing: ReadonlySet<string> = new Set();

/** Names that are imported, and that no cell gives to anything else. */
function modulesIn(cells: readonly NamesOfCell[]): ReadonlySet<string> {
  const imported = new Set(cells.flatMap(({ modules }) => modules));
  for (const { dagCell, modules } of cells) {
    for (const name of dagCell.defines)
      if (!modules.includes(name) && !dagCell.mutationDefines.includes(name)) imported.delete(name);
  }
  return imported;
}
