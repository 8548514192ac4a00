// A function may need what only a cell below it makes (`def train(): model.fit(X)`, and `X` two cells further down): Python looks names up
// when it is called. And what it changes in place (`log.append(line)`) is to be its caller's. So whoever reads such a function reads those
// names too, from the nearest cell above itself. So does who reads something that may keep it: an instance of a class, or what a cell made
// that gave the function to something else (`solver = Solver(step)`).
import type { DagCell } from '../dag/index.ts';

export interface CodeOfCell {
  readonly dagCell: DagCell;
  /** Of each function or class: what it needs of other cells. */
  readonly code: readonly Code[];
  /** What the cell reads for more than calling it. */
  readonly handed: readonly string[];
}

interface Code {
  readonly name: string;
  readonly isClass: boolean;
  readonly needs: readonly string[];
  /** What it changes in place, or binds by `global`. */
  readonly fills: readonly string[];
}

/** What a name that is in force at some place asks of its readers. */
interface Asked {
  readonly names: ReadonlySet<string>;
  /** Its instances ask for the same. */
  readonly isClass: boolean;
}

/** Cells that nothing changes for are the same objects as before. */
export function createLateNames(): (cells: readonly CodeOfCell[]) => DagCell[] {
  const known = new WeakMap<DagCell, { readonly key: string; readonly cell: DagCell }>();

  function withNames(cell: DagCell, late: readonly string[], asked: readonly string[]): DagCell {
    if (late.length === 0 && asked.length === 0) return cell;
    const key = `${late}|${asked}`;
    const last = known.get(cell);
    if (last?.key === key) return last.cell;
    const made = { ...cell, late, discardedReads: [...cell.discardedReads, ...asked] };
    known.set(cell, { key, cell: made });
    return made;
  }

  return (cells) => {
    if (!cells.some(({ code }) => code.some(({ needs }) => needs.length > 0)))
      return cells.map(({ dagCell }) => dagCell);
    const everywhere = new Set(cells.flatMap(({ dagCell }) => dagCell.defines));
    const inForce = new Map<string, Asked | null>();
    return cells.map(({ dagCell, code, handed }) => {
      const { defines, references, builtinReferences, discardedReads } = dagCell;
      const reads = new Set([...references, ...builtinReferences, ...discardedReads]);
      // What is asked for may be code that asks in turn.
      const reached = new Set(reads);
      const read: (Asked & { readonly name: string })[] = [];
      for (const name of reached) {
        const found = inForce.get(name);
        if (!found) continue;
        read.push({ name, ...found });
        for (const further of found.names) reached.add(further);
      }
      const asked = namesOf(read).filter((name) => !reads.has(name) && !defines.includes(name));
      const isLate = (name: string): boolean => !defines.includes(name) && !inForce.has(name) && everywhere.has(name);
      const isHanded = new Set(handed);
      const own = new Map<string, Asked>(
        code.map(({ name, isClass, needs, fills }) => {
          const through = namesOf(needs.flatMap((need) => inForce.get(need) ?? []));
          return [name, { isClass, names: new Set([...needs.filter(isLate), ...fills, ...through]) }];
        }),
      );
      const late = namesOf(own.values()).filter(isLate);
      const kept = namesOf([
        ...read.filter(({ name, isClass }) => isClass || isHanded.has(name) || !reads.has(name)),
        ...[...own].flatMap(([name, asks]) => (isHanded.has(name) ? [asks] : [])),
      ]);
      const instance: Asked | null = kept.length > 0 ? { isClass: true, names: new Set(kept) } : null;
      for (const name of defines) inForce.set(name, own.get(name) ?? instance);
      return withNames(dagCell, late, asked);
    });
  };
}

const namesOf = (asked: Iterable<Asked>): string[] => [...new Set([...asked].flatMap(({ names }) => [...names]))];
