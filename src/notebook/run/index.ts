// The door of runs.
export {
  type CellRun,
  type Executed,
  type ExecuteParts,
  executeCell,
  type FailedRun,
  inputFiles,
  lostValues,
} from './executeCell.ts';
export { arranged, below, cascadeTo, type Estimates, estimate } from './plan.ts';
export { createResults, type Display, type Failure, type KeptResult, type Results } from './results.ts';
export { createRunFolders, type RunFolders } from './runFolders.ts';
export { mayTouchFiles, runSchedule } from './schedule.ts';
