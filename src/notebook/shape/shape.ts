// The form of a notebook: what its cells define and read, how they are wired, and what each would run with. Made from the
// document and the analyses; the session decides from it what is current.

import type { WidgetCell } from '../../engine/index.ts';
import type { Annotations, Diagnostic } from '../annotations/index.ts';
import type { DagBody, ExportPlan, ModuleExport, VariantGroup, VariantGroupBody } from '../dag/index.ts';
import type { WidgetValues } from '../languages/index.ts';
import type { CellFacts, Graph } from '../state/index.ts';

/** What is known of one cell beyond its document entry, in the words of the wire. */
export interface CellShape {
  readonly defines: readonly string[];
  readonly references: readonly string[];
  readonly mutationDefines: readonly string[];
  readonly builtinReferences: readonly string[];
  readonly upstreamIds: readonly string[];
  readonly downstreamIds: readonly string[];
  readonly isLeaf: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly shadowWarnings: readonly string[];
  readonly variantGroup: string | null;
  readonly variantName: string | null;
  readonly variantActive: boolean;
  /** Its text cannot be read: half of a statement, say. */
  readonly isBroken: boolean;
  readonly isModuleCell: boolean;
  readonly moduleExports: readonly ModuleExport[];
  /** Names that other cells read. */
  readonly consumed: readonly string[];
  /** Which of them travel as source, and what cannot. */
  readonly exports: ExportPlan;
  /** The same for all its functions and classes, for readers to come. */
  readonly travelling: ExportPlan;
  /** The controls of a widget cell. */
  readonly widget: WidgetCell | null;
  /** What users chose on them when the shape was made: a run takes these, as its key does. */
  readonly chosen: WidgetValues;
  /** Of the source alone, without what its annotations add. */
  readonly bodyDigest: string;
  /** The swept group over whose variants the cell runs. */
  readonly fanout: string | null;
  /** As clients see them. */
  readonly annotations: object;
  readonly directives: Annotations;
  readonly nocache: boolean;
  /** It may write to a mount, so its result is never served again. */
  readonly writesMount: boolean;
  readonly timeout: { readonly seconds: number; readonly lever: string };
  readonly env: Readonly<Record<string, string>>;
  /** Names that the cell itself sets. */
  readonly ownEnv: readonly string[];
}

export interface Shape {
  readonly facts: ReadonlyMap<string, CellFacts>;
  readonly graph: Graph;
  readonly dag: DagBody;
  readonly cells: ReadonlyMap<string, CellShape>;
  readonly variantGroups: readonly VariantGroupBody[];
  readonly variants: readonly VariantGroup[];
}
