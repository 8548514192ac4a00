// The door of the session's state.
export { type Applied, apply, type Operation } from './apply.ts';
export { filesReadBy, resultUnder } from './files.ts';
export { type InputValues, inputValues, sweepValue } from './inputs.ts';
export { objectionToRun, type RunObjection, type Surroundings } from './mayRun.ts';
export { above, arranged, below, cascadeTo, type Estimates, estimate } from './plan.ts';
export type { AfterFailure, CurrentRun, EndedAs } from './runState.ts';
export {
  type Advanced,
  advance,
  type RunAction,
  type RunOperation,
} from './runs.ts';
export { settingMakers, settingsAbove } from './settings.ts';
export { currentKey, hasMovedUpstream } from './settle.ts';
export {
  type Causality,
  type CauseDetail,
  type CellFacts,
  type CellFailure,
  type CellResult,
  type CellState,
  type CellStatus,
  emptySession,
  type Graph,
  type SessionState,
  type StoredValue,
  unknownCell,
  type Waiting,
  type Wire,
} from './state.ts';
export { done, ending, isOver, laidOut, type Plan, started } from './steps.ts';
