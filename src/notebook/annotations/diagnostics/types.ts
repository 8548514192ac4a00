// Diagnostics advise; they never stop an edit or a run. What is known of each cell comes in as facts, so that this stays
// a pure function whoever analysed the sources.
import type { ModuleFacts, WidgetDescriptor } from '../../../engine/index.ts';
import type { Dag } from '../../dag/index.ts';
import type { Cell, Notebook } from '../../document/index.ts';
import type { LeadingBlock } from '../block.ts';
import type { Annotations } from '../types.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warn' | 'info';
  readonly code: string;
  readonly message: string;
  /** From 1; null when no line stands for it. */
  readonly line: number | null;
}

/** What the analysis of a cell's body found. Every part may be left out while it is not known. */
export interface AnalysedFacts {
  readonly defines?: readonly string[];
  /** Names bound by imports at the top level; they are no part of what variants promise each other. */
  readonly importedNames?: readonly string[];
  readonly module?: ModuleFacts | null;
  /** Why the loop's predicate is no Python expression. */
  readonly untilError?: string | null;
  readonly widget?: {
    readonly errors: readonly string[];
    readonly descriptors: readonly Omit<WidgetDescriptor, 'whole'>[];
  };
  readonly sql?: {
    readonly parseError: string | null;
    /** Tables that are only known when the query runs. */
    readonly dynamicTables: readonly string[];
    readonly failure: string | null;
  };
}

export interface DiagnosisContext {
  readonly dag: Dag;
  /** Names under which a worker can be used, `local` aside. */
  readonly workers: ReadonlySet<string>;
  /** The server uses its own workers and ignores those of the notebook file. */
  readonly ignoresNotebookWorkers: boolean;
  readonly sqlDrivers: ReadonlySet<string>;
}

/** One cell with everything its checks look at. */
export interface Subject {
  readonly cell: Cell;
  readonly annotations: Annotations;
  readonly block: LeadingBlock;
  readonly facts: AnalysedFacts;
  readonly notebook: Notebook;
  readonly context: DiagnosisContext;
  readonly others: ReadonlyMap<string, Subject>;
}

export type Check = (subject: Subject) => Diagnostic[];

export const found = (
  severity: Diagnostic['severity'],
  code: string,
  message: string,
  line: number | null = null,
): Diagnostic => ({ severity, code, message, line });
