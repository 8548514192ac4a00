// What the graph is made from and what it is made of. Cells come in notebook order; the graph never looks at sources.

export interface DagCell {
  readonly id: string;
  readonly defines: readonly string[];
  readonly references: readonly string[];
  readonly builtinReferences: readonly string[];
  /** What it reads and throws away (`_ = f(x)`): not told as references, and needed all the same. */
  readonly discardedReads: readonly string[];
  /** What its functions need and only cells below it make: their readers have it. */
  readonly late: readonly string[];
  /** Those of `defines` that the cell only changes in place. */
  readonly mutationDefines: readonly string[];
  /** Cells that run before this one although nothing is read from them. */
  readonly after: readonly string[];
  /** The cell and variable that a loop starts from. */
  readonly startFrom: { readonly cellId: string; readonly variable: string } | null;
  readonly variant: { readonly group: string; readonly name: string } | null;
  /** Runs once per variant of the group; null infers the one sweep group that the cell reads. */
  readonly perVariant: { readonly group: string | null } | null;
}

/** An entry of the notebook file. Any mode but `sweep` acts as `switch`. */
export interface VariantSelection {
  readonly group: string;
  /** Empty for the first member in cell order. */
  readonly active: string;
  readonly mode: string;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Empty for an edge that only orders. */
  readonly variable: string;
}

export interface VariantGroup {
  readonly group: string;
  readonly mode: 'switch' | 'sweep';
  /** In a sweep the first member, for display only. */
  readonly activeName: string;
  readonly activeCellId: string;
  readonly members: readonly { readonly cellId: string; readonly name: string; readonly isActive: boolean }[];
}

/** How one cell is wired to those above it. */
export interface Wiring {
  readonly edges: readonly Edge[];
  /** Cells read from or waited for, each once, in the order of wiring. */
  readonly upstream: readonly string[];
  /** Sweep groups whose values reach the cell, directly or through cells that run once per variant. */
  readonly sweepGroups: readonly string[];
  /** The group over whose variants the cell runs, and how many these are. */
  readonly fanout: { readonly group: string; readonly variants: number } | null;
  readonly shadowWarnings: readonly string[];
}

export interface Dag {
  readonly cells: readonly DagCell[];
  readonly selections: readonly VariantSelection[];
  readonly variantGroups: readonly VariantGroup[];
  /** The five that follow are empty while `error` says why there is no order. */
  readonly edges: readonly Edge[];
  readonly topologicalOrder: readonly string[];
  /** In cell order, as are `leaves`. */
  readonly roots: readonly string[];
  readonly leaves: readonly string[];
  /** Name → cell id, `sweep:<group>` or `fanout:<group>`; the last definition wins. */
  readonly variableProducer: ReadonlyMap<string, string>;
  readonly error: string | null;
  readonly state: DagState;
}

/** What the next update builds on. Kept while there is an error, so that the edit that mends it costs no more. */
export interface DagState {
  readonly position: ReadonlyMap<string, number>;
  readonly roles: ReadonlyMap<string, VariantRole>;
  readonly names: NameIndex;
  readonly wirings: ReadonlyMap<string, Wiring>;
  readonly downstream: ReadonlyMap<string, readonly string[]>;
  readonly producers: ReadonlyMap<string, string>;
}

/** Only cells with a variant have one. */
export interface VariantRole {
  readonly isActive: boolean;
  /** The group, when it is swept. */
  readonly sweep: string | null;
  readonly variants: number;
}

export interface NameIndex {
  /** Active cells that define a name, in cell order. */
  readonly definers: ReadonlyMap<string, readonly string[]>;
  readonly readers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Cell → cells that name it in `after` or `startFrom`. */
  readonly mentions: ReadonlyMap<string, ReadonlySet<string>>;
}
