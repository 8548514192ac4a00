// What a language has to offer so that its cells take part in a notebook: what a source means by itself, what it reads from
// outside the notebook, and how a cell is run. Adding a language is adding one of these.
import type { CellLanguage } from '../../cellLanguages.ts';
import type { PythonAnalysis, WidgetCell } from '../../engine/index.ts';
import type { InputFile, Job, RunEvent, RunResult } from '../../runtimes/index.ts';
import type { Annotations, BodyNames, AnalysedFacts as DiagnosisFacts } from '../annotations/index.ts';
import type { ExportPlan } from '../dag/index.ts';
import type { Cell, Notebook } from '../document/index.ts';
import type { StoredValue } from '../state/index.ts';
import type { WidgetValues } from './widgetValues.ts';

/** What a source says by itself, whatever stands around it. */
export interface Meaning {
  readonly names: BodyNames;
  /** Of what the source does: layout and comments leave it as it is. */
  readonly digest: string;
  /** Names that a loop's stop condition reads. */
  readonly untilReferences?: readonly string[];
  readonly untilError?: string | null;
  /** What only Python sources have. */
  readonly python?: PythonAnalysis;
  /** The controls of a widget cell. */
  readonly widget?: WidgetCell;
  /** The text is no whole program; Python and SQL say so in their own words. */
  readonly isBroken?: boolean;
  /** What is known of a query; left out while nobody could be asked. */
  readonly sql?: SqlFacts;
}

export type SqlFacts = NonNullable<DiagnosisFacts['sql']>;

/** A cell that is about to run, in its notebook as it is now. */
export interface CellWork {
  readonly notebook: Notebook;
  readonly cell: Cell;
  readonly annotations: Annotations;
  readonly env: Readonly<Record<string, string>>;
  readonly exports: ExportPlan;
  /** The values that its wired names stand for. */
  readonly inputs: ReadonlyMap<string, StoredValue>;
  /** What users chose on the controls of a widget cell. */
  readonly chosen: WidgetValues;
  /** Names this opening of the notebook: what holds only while it is open holds until it is another. */
  readonly openingId: string;
}

/** What a cell reads from outside the notebook, as it was found just now. */
export interface OutsideLook {
  /** Enters the key of the result: another thing outside is another result. */
  readonly digest: string;
  /** Bound in the cell beside its wired inputs. */
  readonly inputs: Readonly<Record<string, InputFile>>;
  /** Where the result says that it comes from, beside its wired inputs: address → version. */
  readonly lineage: Readonly<Record<string, string>>;
  /** What of it lies far away, and how much that is. */
  readonly far?: readonly FarInput[];
  /** Brings here what a look only lists, once the cell really runs. */
  readonly prepare?: (signal: AbortSignal) => Promise<Brought>;
}

/** Something that is copied here before a cell runs, in the words of the wire. */
export interface FarInput {
  readonly kind: 'mount' | 'table' | 'fetch';
  readonly name: string;
  readonly uri: string;
  readonly credential: string | null;
  readonly bytes: number | null;
  /** How much of it is here already. */
  readonly cached_bytes: number | null;
}

/** How much a run would bring here, found without bringing it. */
export interface Weight {
  readonly far: readonly FarInput[];
  /** Another text where what lies far away is another. */
  readonly fingerprint: string;
  /** What a look would find; null where only a look can tell. */
  readonly digest: string | null;
}

/** What was brought for one run. */
export interface Brought {
  readonly inputs: Readonly<Record<string, InputFile>>;
  /** After the run: lets go of it and gives back what a successful run wrote. Throws CellRefused when that fails. */
  finish(succeeded: boolean): Promise<void>;
}

export interface CellRuntime {
  run(job: Job, onEvent: (event: RunEvent) => void, signal: AbortSignal): Promise<RunResult>;
}

/** A place with room of its own for cells: a cluster. */
export interface Lane {
  readonly name: string;
  readonly atOnce: number;
  /** Its cells meet nothing of others: no order is kept but the one that they ask for. */
  readonly isApart: boolean;
}

export interface Language {
  /** Several at once, in their order: some languages ask a process. `notebook` says which connections there are. */
  read(cells: readonly Cell[], notebook: Notebook): Promise<readonly Meaning[]>;
  /** What will run the cell. Throws CellRefused when it could not succeed. */
  engage(work: CellWork): Promise<CellRuntime>;
  /** Where the cell is bound for, if that has room of its own; undefined: among all others. */
  laneOf?(work: Pick<CellWork, 'notebook' | 'cell' | 'annotations'>): Promise<Lane | undefined>;
  /**
   * What a result depends on beside its source and inputs, where that is not the notebook's Python environment: a model, a
   * connection.
   */
  environment?(notebook: Notebook, annotations: Annotations, env: Readonly<Record<string, string>>): string;
  /** For languages whose cells read what lies outside the notebook. Throws CellRefused when that cannot be reached. */
  readonly outside?: {
    /** What the cell asks for, in words that are others when it asks for something else; null when for nothing. */
    asks(asking: Pick<CellWork, 'notebook' | 'cell' | 'annotations'>): string | null;
    /**
     * `mayAsk`: false asks nobody, and gives undefined for what is not known without asking. `renew`: the cell is run anew,
     * so that what was chosen for earlier runs is chosen again.
     */
    look(
      work: CellWork,
      options: { signal: AbortSignal; mayAsk: boolean; renew?: boolean },
    ): Promise<OutsideLook | undefined>;
    /** Rejects when something cannot be reached. */
    weigh(work: CellWork, signal: AbortSignal): Promise<Weight>;
  };
}

export type Languages = Readonly<Record<CellLanguage, Language>>;

/** A cell that is not run because it could not succeed; told as its failure, with the reason. */
export class CellRefused extends Error {
  override name = 'CellRefused';
  readonly errorType: string;

  /** A name that clients know it by. */
  readonly errorCode: string | undefined;

  constructor(errorType: string, message: string, errorCode?: string) {
    super(message);
    this.errorType = errorType;
    this.errorCode = errorCode;
  }
}

/** Refuses what only Python can be given, before anybody looks for it. */
export function refusePythonInputs({ annotations: { datasets, tables } }: CellWork, language: string): void {
  if (datasets.length > 0 || tables.length > 0)
    throw new CellRefused(
      `NotIn${language}`,
      '@dataset and @table give their names to Python cells; read them there and pass a data frame on.',
    );
}
