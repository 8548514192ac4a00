// Whether cells may run now: asked by everybody who runs some, answered here.
import { type Busy, busy } from './runs.ts';
import type { SessionState } from './state.ts';

/** What lies around a notebook and may keep it from running. */
export interface Surroundings {
  /** Somebody holds the notebook still for a copy. */
  readonly hold: { readonly root: string; readonly secondsLeft: number } | undefined;
  /** A run would make a new directory where the notebook was moved away or deleted. */
  readonly hasDirectory: boolean;
  /** Why the environment is not ready for runs, in words. */
  readonly environment: string | null;
}

export type RunObjection =
  | { readonly type: 'held'; readonly root: string; readonly secondsLeft: number }
  | { readonly type: 'noDirectory' }
  | { readonly type: 'unknownCell'; readonly cellId: string }
  | { readonly type: 'environment'; readonly reason: string }
  | Busy;

/** Null when the cell, or any cell, may run. */
export function objectionToRun(
  state: SessionState,
  { hold, hasDirectory, environment }: Surroundings,
  cellId: string | null,
): RunObjection | null {
  if (hold) return { type: 'held', root: hold.root, secondsLeft: hold.secondsLeft };
  if (!hasDirectory) return { type: 'noDirectory' };
  if (cellId !== null && !state.facts.has(cellId)) return { type: 'unknownCell', cellId };
  if (environment !== null) return { type: 'environment', reason: environment };
  return busy(state.run);
}
