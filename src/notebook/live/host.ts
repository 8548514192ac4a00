// What the runner needs of the notebook around it: the state, a way to change it, a way to tell, and a way to execute.

import type { JoinAdvice } from '../../protocol/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import type { Lane, OutsideLook } from '../languages/index.ts';
import type { LookOptions } from '../outside/index.ts';
import type { Executed, FailedRun, KeptResult, TeamOrigin, ToldEffects } from '../run/index.ts';
import type { Advanced, Applied, CellFailure, EndedAs, Operation, RunOperation, SessionState } from '../state/index.ts';
import type { Stores } from './cellWork.ts';
import type { Asking } from './questions.ts';

export type RunMode = 'normal' | 'rerun' | 'force';

export interface CellOutcome {
  readonly cellId: string;
  readonly status: EndedAs;
  readonly cacheHit: boolean;
  readonly result: KeptResult | null;
  /** Absent for a result that was found. */
  readonly executed: Executed | null;
  readonly error: string | null;
  /** The cell above that failed, when the one that was asked for did not come to run. */
  readonly failedAbove?: string;
  /** Of a widget cell whose values were stored before. */
  readonly controls?: Readonly<Record<string, unknown>>;
  /** Of a result that a colleague computed. */
  readonly team?: TeamOrigin | undefined;
}

export interface CellRunOptions extends Asking {
  readonly useCache: boolean;
  readonly stores: Stores;
  /** Whether somebody asked for this very cell: then it runs where a repeat may give something else. */
  readonly isAsked: boolean;
  readonly signal: AbortSignal;
}

export interface RunHost {
  session(): SessionState;
  apply(operation: Operation): Applied;
  /** The run goes on. */
  advance(operation: RunOperation): Advanced;
  broadcast(type: string, payload: object): void;
  /** The kept result that a normal run of the cell would find now. */
  findKept(cellId: string, options: CellRunOptions): KeptResult | undefined;
  /** Runs the cell with what its upstream cells hold now; console text is announced as it comes. */
  execute(cellId: string, options: CellRunOptions & { readonly look: OutsideLook | undefined }): Promise<Executed>;
  /** Looks at what the cell reads from outside the notebook; a failed run when that cannot be reached. */
  look(cellId: string, options: LookOptions): Promise<OutsideLook | FailedRun | undefined>;
  /** The cell asks nobody outside: what was told of its inputs before is over. */
  readsNothingFar(cellId: string): void;
  /** What is chosen on the controls of a widget cell, by name; nothing for other cells. */
  controls(cellId: string): Readonly<Record<string, unknown>>;
  /** Cells without code, which a run over all of them leaves out. */
  hasNothingToRun(cellId: string): boolean;
  /** Whether lines were marked in the cell, or in one whose functions it may call. */
  mayStop(cellId: string, asking: Asking): boolean;
  /** What the cell touched when it last ran as it is now; undefined when nobody knows. */
  effectsOf(cellId: string): ToldEffects | undefined;
  /** The cluster that the cell is bound for; undefined: it runs among all others. */
  laneOf(cellId: string): Promise<Lane | undefined>;
  /** Takes over what others wrote to the notebook's files until now; the files of these cells are looked at one by one. */
  catchUp(cellIds: Iterable<string>): Promise<void>;
  /** Looks at the files that these cells have read: their results may not be true any more. */
  lookAtFiles(cellIds: Iterable<string>): Promise<void>;
  /** Cells in the order of the notebook. */
  cellOrder(): readonly string[];
  /** Cells that the cell would have to be joined with. */
  adviceFor(cellId: string): readonly JoinAdvice[];
  /** Notes what a run of the cell made that can neither be kept nor made anew; gives the cells that this is of interest for. */
  unkeptSeen(cellId: string, run: RunResult): Promise<readonly string[]>;
  /** Keeps a failure for sessions to come. */
  failed(cellId: string, failure: CellFailure): Promise<void>;
  /** A run ended by a fault of ours: nobody else hears of it. */
  fault(error: unknown): void;
  /** Called after every cell, with how it ended. */
  settled(outcome: CellOutcome): void;
  /** A run is over, and no other has begun. */
  rested(run: EndedRun): void;
}

/** A run as it is told to whoever follows the notebook. */
export interface EndedRun {
  /** The cell that was asked for; null for a run of all. */
  readonly requested: string | null;
  /** How many cells ended how. */
  readonly outcomes: Readonly<Record<CellOutcome['status'], number>>;
  readonly durationMs: number;
}
