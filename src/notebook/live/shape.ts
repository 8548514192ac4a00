// The form of a notebook: what its cells define and read, how they are wired, and what each would run with. Made from the
// document and the analyses; the session decides from it what is current.

import type { DagRecord } from '../../protocol/index.ts';
import type { VariantGroupEntry } from '../document/index.ts';
import type { CellFacts, Graph } from '../session/index.ts';

/** What is known of one cell beyond its document entry, in the words of the wire. */
export interface CellShape {
  readonly defines: readonly string[];
  readonly references: readonly string[];
  readonly mutationDefines: readonly string[];
  readonly builtinReferences: readonly string[];
  readonly upstreamIds: readonly string[];
  readonly downstreamIds: readonly string[];
  readonly isLeaf: boolean;
  readonly diagnostics: readonly {
    readonly severity: 'error' | 'warn' | 'info';
    readonly code: string;
    readonly message: string;
    readonly line: number | null;
  }[];
  readonly shadowWarnings: readonly string[];
  readonly variantGroup: string | null;
  readonly variantName: string | null;
  readonly variantActive: boolean;
  readonly isModuleCell: boolean;
  readonly moduleExports: readonly {
    readonly name: string;
    readonly kind: 'function' | 'async function' | 'class' | 'constant';
  }[];
  readonly annotations: object;
  readonly timeout: { readonly seconds: number; readonly lever: string };
  readonly env: Readonly<Record<string, string>>;
}

export interface Shape {
  readonly facts: ReadonlyMap<string, CellFacts>;
  readonly graph: Graph;
  readonly dag: DagRecord;
  readonly cells: ReadonlyMap<string, CellShape>;
  readonly variantGroups: readonly object[];
}

export type { VariantGroupEntry };
