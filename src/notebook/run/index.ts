// The door of runs.

export { mayDiffer } from '../../touched.ts';
export type { CellRun } from './cellRun.ts';
export { anythingRead, mayMeet, nothingTouched, type ToldEffects } from './effects.ts';
export {
  type Executed,
  type ExecuteParts,
  executeCell,
  type FailedRun,
  runWithOutside,
} from './executeCell.ts';
export { executeFanout } from './executeFanout.ts';
export { executeLoop } from './executeLoop.ts';
export { inputFiles, knownFiles, lostValues } from './inputs.ts';
export { standingAmong } from './keepResult.ts';
export type { CellEvent, IterationEvent, KeptParts, VariantEvent } from './parts.ts';
export { changedMeanwhile, observedKey } from './readFiles.ts';
export {
  createResults,
  type Display,
  type Forgotten,
  type KeptResult,
  type Results,
  type Sketch,
  type Superseded,
  urisIn,
} from './results.ts';
export { createRunFolders, type RunFolders } from './runFolders.ts';
export { mayTouchFiles, orderedBy, runSchedule } from './schedule.ts';
export type { SessionTables, TableWriter } from './tableWrites.ts';
export { createTeamLink, type TeamCache, type TeamLink } from './teamCache.ts';
export type { TeamOrigin } from './teamFind.ts';
