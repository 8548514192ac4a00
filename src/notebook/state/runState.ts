// The one run that a notebook has at a time, as a part of its state.
import type { Steps } from './steps.ts';

export type EndedAs = 'ready' | 'error' | 'cancelled';

export interface CurrentRun {
  /** Tells it from the runs before it. */
  readonly number: number;
  /** The cell that was asked for; null for a run over several. */
  readonly requested: string | null;
  /** What it takes and has not ended: to cancel one of them cancels the run. */
  readonly reserved: ReadonlySet<string>;
  readonly steps: Steps;
  readonly afterFailure: AfterFailure;
  /** Cells that read from one that failed. */
  readonly unreached: ReadonlySet<string>;
  readonly isCancelled: boolean;
  readonly outcomes: Readonly<Record<EndedAs, number>>;
}

/** `end`: nothing more starts. `goRound`: what reads from the failed cell is passed over, and the rest runs. */
export type AfterFailure = 'end' | 'goRound';

export interface RunState {
  /** How many there have been. */
  readonly count: number;
  readonly current: CurrentRun | null;
  /** What people were asked whether it may run, by the id of the question: each holds until its own cell runs. */
  readonly prompted: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
}

export const noRun: RunState = { count: 0, current: null, prompted: new Map(), isClosed: false };
