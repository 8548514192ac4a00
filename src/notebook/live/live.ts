// An open notebook as the rest of the service sees it: look, edit, run; and what is needed to open one.
import type { ArtifactAddress, ArtifactVersion } from '../../artifacts/index.ts';
import type { NotebookEnvironment } from '../../environments/index.ts';
import type { Log } from '../../observability/index.ts';
import type { CellRecord, CellResultRecord, CellTestResult, IterationRecord } from '../../protocol/index.ts';
import type { Runtime } from '../../runtimes/index.ts';
import type { Connections } from '../connections/index.ts';
import type { DagBody } from '../dag/index.ts';
import type { FetchedEnv, ImportedOutput, NewCell, Notebook } from '../document/index.ts';
import type { WidgetValues } from '../languages/index.ts';
import type { KeptResult } from '../run/index.ts';
import type { Shape } from '../shape/index.ts';
import type { RunObjection, SessionState, Waiting } from '../state/index.ts';
import type { Audience } from './audience.ts';
import type { CellNote, CellNotes } from './cellNotes.ts';
import type { ExecutionParts } from './execution.ts';
import type { Hints } from './hints.ts';
import type { LastRun, RunTotals } from './history.ts';
import type { CellOutcome } from './host.ts';
import type { InspectRequest } from './inspectors.ts';
import type { KeptLimits, KeptRequest } from './keptCells.ts';
import type { CellRead, LargeReads, ReadLimits } from './largeReads.ts';
import type { Questions } from './questions.ts';
import type { Runner } from './runner.ts';
import type { SoftLocks } from './softLocks.ts';
import type { TestedRun } from './tested.ts';

/** Whether a run could have noticed a change of packages, by those that it looked for. */
export type CouldNotice = (used: string) => boolean;

export interface LiveNotebook {
  readonly directory: string;
  readonly runner: Runner;
  /** Which runs are asked about before they start. */
  readonly reads: LargeReads;
  notebook(): Notebook;
  session(): SessionState;
  shape(): Shape;
  cellRecord(cellId: string): CellRecord;
  cellRecords(): CellRecord[];
  dag(): DagBody;
  /** Gives the cells that look different now. */
  editCell(cellId: string, source: string, options: EditOptions): Promise<readonly string[]>;
  addCell(wanted: NewCell): Promise<string>;
  /** Gives what could not be cleared after it, in words. */
  deleteCell(cellId: string): Promise<readonly string[]>;
  /** Takes the deletion of a cell back: it returns under its id, with its settings and results. */
  restoreCell(cellId: string): Promise<void>;
  reorderCells(cellIds: readonly string[]): Promise<void>;
  /** Keeps what was chosen on the controls of a widget cell; `usable` sees what the edits before have left. */
  choose(cellId: string, usable: (shape: Shape) => WidgetValues): Promise<void>;
  /** Keeps something about a cell for sessions to come. */
  note(cellId: string, change: Partial<CellNote>): Promise<void>;
  /** Runs what the cell needs and then its tests; throws when another run holds the notebook. */
  runTests(cellId: string): Promise<TestedRun>;
  /** Looks at what cells read from outside as far as nobody has to be asked, and tells what that makes current. */
  lookAround(): Promise<void>;
  /** Writes what lies beside the document, in turn with its edits, so that a hold waits for it or refuses it. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** Any other change of the document, followed by a new look at everything. */
  change(edit: (notebook: Notebook, tools: EditTools) => Promise<Notebook>): Promise<void>;
  /** Looks at everything anew: variables of the environment were `fetched`. */
  refresh(fetched: FetchedEnv): Promise<void>;
  /** Packages are about to be others; what it gives is called when they are, and gives the cells that have no current result. */
  beginPackageChange(): (couldNotice: CouldNotice | undefined) => Promise<readonly string[]>;
  /** Reads everything from disk again: somebody else wrote there. */
  reload(): Promise<void>;
  /**
   * Resolves when what others wrote to the notebook's files until now is known here; the files of these cells are looked at
   * one by one, whatever the system tells of them.
   */
  catchUp(cellIds: Iterable<string>): Promise<void>;
  /** What the loop of the cell carried, step by step; `variable` is its carry when none is named. */
  iterations(cellId: string, variable: string | null): Promise<{ variable: string | null; records: IterationRecord[] }>;
  /** How its tests last went. */
  testResult(cellId: string): CellTestResult | null;
  /** The result that a cell shows. */
  shown(cellId: string): KeptResult | undefined;
  /** What it showed where it comes from, as it came; undefined once it has run here. */
  imported(cellId: string): readonly ImportedOutput[] | undefined;
  /** What is kept of a cell, newest first. */
  results(cellId: string): readonly CellResultRecord[];
  /** Every result that is kept, by cell, oldest first; parts of a cell stand beside it. */
  kept(): Promise<ReadonlyMap<string, readonly KeptResult[]>>;
  artifact(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
  /** Where the bytes of an artifact of this notebook lie. */
  blobPath(address: ArtifactAddress): string;
  /** How many bytes the notebook keeps. */
  storedBytes(): Promise<number>;
  /** Says of stale cells that a run left them out for what they would read. */
  heldBack(reads: readonly CellRead[]): void;
  /** Says of cells that they did not follow by themselves, and why. */
  waits(cells: ReadonlyMap<string, Waiting>): void;
  /** Tells the status of these cells. */
  announce(cellIds: readonly string[]): void;
  /** Ends the run that the cell belongs to, or says again that none is in flight; the process of its failure ends then. */
  cancel(cellId: string): boolean;
  estimate(cellIds: readonly string[]): number;
  /** What a run of the cell would run first, and what it would make stale. */
  impactOf(cellId: string): { readonly above: readonly string[]; readonly below: readonly string[] };
  inspect(request: InspectRequest): Promise<object>;
  /** What running cells ask whoever watches. */
  readonly questions: Pick<Questions, 'answer' | 'next'>;
  /** Of cells whose processes are kept for their widgets. */
  keptCell(request: KeptRequest): Promise<object>;
  /** What an editor of the cell asks while somebody types. */
  readonly hints: Hints;
  /** Ends prompts, kept cells, and the process of a failure that was kept. */
  closeInspectors(): Promise<void>;
  totals(): RunTotals;
  /** Resolves when every edit that was asked for so far is on disk, and whatever else runs have left to be written. */
  settledWrites(): Promise<void>;
  /** Throws when the notebook is held still for a copy. `run`: new runs are refused as soon as the hold is asked for. */
  assertFree(what: 'edit' | 'run'): void;
  /** What keeps the cell (null: any cell) from running now; null where nothing does. */
  mayRun(cellId: string | null): RunObjection | null;
  /** Throws in that case. */
  assertMayRun(cellId: string | null): void;
  lastDuration(cellId: string): number | undefined;
  /** On this server, since the notebook was opened. */
  lastRun(cellId: string): LastRun | undefined;
  isBusy(): boolean;
  /** Ends whatever runs; nothing is written. */
  stop(): Promise<void>;
  /** Puts away what a stopped notebook has left. */
  close(): Promise<void>;
}

export interface QuestionLimits {
  /** How long a question waits for an answer; 0: nobody is asked. */
  readonly seconds: number;
  /** Whether the process of every failure that somebody watched stays to be looked into. */
  readonly keepsFailures: boolean;
  /** Whether an editor may attach to a cell that stopped, on a port of this machine. */
  readonly attachesEditors: boolean;
  /** One that takes more memory does not stay. */
  readonly mostBytes: number;
}

/** What an edit of several cells works with. */
export interface EditTools {
  readonly shape: Shape;
  readonly locks: SoftLocks;
  /** Deletes a cell, which is remembered with its results. */
  remove(notebook: Notebook, cellId: string): Promise<{ notebook: Notebook; warnings: readonly string[] }>;
}

export interface EditOptions {
  readonly author: string;
  /** Whom the text is said to be by, where that is more than its author: they had it from a model. */
  readonly credit?: string | undefined;
  readonly force: boolean;
  /** The text that the author changed; refused when it is no longer the cell's, unless forced. */
  readonly base?: string | undefined;
  /** False when the caller tells of the change itself. */
  readonly announce?: boolean;
}

export interface LiveParts
  extends Omit<ExecutionParts, 'directory' | 'results' | 'folders' | 'kept' | 'prints' | 'now'> {
  readonly notebook: Notebook;
  readonly audience: Audience;
  readonly environment: NotebookEnvironment;
  readonly notes: CellNotes;
  readonly connections: Connections;
  readonly shapeOf: (notebook: Notebook) => Promise<Shape>;
  /** Has a source analysed that a look will soon ask for. */
  readonly analyseAhead: (source: string) => void;
  readonly pythonRuntime: () => Runtime | undefined;
  readonly log: Pick<Log, 'info' | 'warning'>;
  /** Takes over what others wrote until now; these files of the directory are looked at one by one. */
  readonly catchUp: (files: Iterable<string>) => Promise<void>;
  /** The notebook was edited, here or on disk: these cells, or what they read, may be others now. */
  readonly onEdited: (cellIds: readonly string[]) => void;
  /** A cell has run. */
  readonly onRan: (outcome: CellOutcome) => void;
  /** A run is over. */
  readonly onRested: () => void;
  /** How many earlier results of a cell are kept beside its newest; 0 keeps all. */
  readonly keepSuperseded: number;
  /** The hold that keeps the notebook still, if any. */
  readonly hold: () => { readonly root: string; readonly secondsLeft: number; readonly complete: boolean } | undefined;
  /** Whether the notebook's folder is where it was when it was opened. */
  readonly isHere: () => boolean;
  readonly lockSeconds: number;
  readonly questions: QuestionLimits;
  readonly readLimits: ReadLimits;
  readonly keptLimits: KeptLimits;
}
