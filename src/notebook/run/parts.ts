// Cells whose result is made of several runs (a loop, a fan-out) keep what each of them gave: a run that is begun again
// takes up what is still true.
import type { RunEvent } from '../../runtimes/index.ts';
import type { StoredValue } from '../state/index.ts';
import type { KeptResult } from './results.ts';

export interface KeptParts {
  find(id: string, key: string): KeptResult | undefined;
  remember(id: string, result: KeptResult): void;
}

export interface IterationEvent {
  readonly type: 'iteration';
  readonly iteration: number;
  readonly maxIter: number;
  readonly value: StoredValue;
  readonly untilReached: boolean;
  /** Since the loop began. */
  readonly durationMs: number;
}

export interface VariantEvent {
  readonly type: 'variant';
  readonly variant: string;
  readonly index: number;
  readonly total: number;
  readonly durationMs: number;
  /** Null when it succeeded. */
  readonly error: string | null;
}

export type CellEvent = RunEvent | IterationEvent | VariantEvent;
