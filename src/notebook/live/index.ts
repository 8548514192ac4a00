// The door of open notebooks.
export type { Audience, ConsoleChunk } from './audience.ts';
export { openCellNotes } from './cellNotes.ts';
export { type CellTests, createCellTests } from './cellTests.ts';
export { withConsoleByReference } from './consoleByReference.ts';
export { writeTexts } from './editSource.ts';
export type { CellOutcome, RunMode } from './host.ts';
export type { KeptLimits } from './keptCells.ts';
export {
  type LargeRead,
  largeReadText,
  type ReadConsent,
  type ReadLimits,
  type WeighedRun,
  weighedAll,
  weighedCell,
} from './largeReads.ts';
export { readLastRun } from './lastRunNote.ts';
export type { QuestionLimits } from './live.ts';
export { type LiveNotebook, openLiveNotebook } from './liveNotebook.ts';
export {
  errorPayload,
  hitPayload,
  installFields,
  outputPayload,
  problemLine,
  remoteFields,
  teamFields,
} from './outputFrames.ts';
export type { Asking } from './questions.ts';
export { createReactive, type Reactive, type ReactiveLimits } from './reactive.ts';
export { type DatasetReader, readersIn } from './readers.ts';
export { formatted, remarksOn } from './remarks.ts';
export {
  envRecord,
  shownAi,
  shownConnection,
  shownMalformed,
  shownMount,
  shownTable,
  shownWorker,
  unshown,
} from './shown.ts';
export { stateRecord, toldState } from './stateRecord.ts';
export { addVariant, chooseVariant } from './variants.ts';
export { createWidgets, type Widgets } from './widgets.ts';
