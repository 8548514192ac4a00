// The door of the notebook domain.
export { parseAnnotations, pinFetch, removeDirective, setDirective } from './annotations/index.ts';
export { flawsOfNotebook, resultsFileOf } from './checks/notebook.ts';
export {
  type Connection,
  connectionInMemory,
  connectionName,
  connectionSchema,
  createNotebook,
  createOrComplete,
  discoverNotebooks,
  type FoundNotebook,
  isSearched,
  isTemporary,
  type Mount,
  mountSchema,
  type Notebook,
  notebookDirectory,
  notebookFileName,
  notebookFolders,
  notebookPlace,
  renameNotebook,
  secretManagerKeys,
  setCellTests,
  setConnections,
  setEnv,
  setMounts,
  setNotebookTimeout,
  setNotebookWorker,
  setReactive,
  setSecretManager,
  setWorkers,
  starterCells,
  unmasked,
  writeAtomically,
} from './document/index.ts';
export {
  bundleMembers,
  importedName,
  importSnapshot,
  type Member,
  newNotebookOf,
  notebookText,
  readForeign,
  snapshotMembers,
  type TableBeginning,
  usualOutputBytes,
  writeReport,
  zipOf,
} from './exchange/index.ts';
export { listFiles, openFile, removeFile, writeFile } from './files/index.ts';
export {
  type Audience,
  addVariant,
  type CellOutcome,
  chooseVariant,
  type DatasetReader,
  envRecord,
  hitPayload,
  type LargeRead,
  type LiveNotebook,
  largeReadText,
  outputPayload,
  problemLine,
  type ReadConsent,
  type ReadLimits,
  type RunMode,
  readersIn,
  readLastRun,
  remoteFields,
  shownConnection,
  shownMalformed,
  shownMount,
  shownTable,
  shownWorker,
  stateRecord,
  teamFields,
  toldState,
  unshown,
  type WeighedRun,
  weighedAll,
  weighedCell,
} from './live/index.ts';
export { openFetchCache } from './outside/index.ts';
export { ambiguousNames, joinCells, makeExplicit, previewExplicit } from './rewrite/index.ts';
export { createTeamLink, type SessionTables, type TeamLink } from './run/index.ts';
export { readClaim } from './sessions/claim.ts';
export type { CloseReason } from './sessions/eviction.ts';
export { createHolds, type Holds } from './sessions/holds.ts';
export type { OpenSession } from './sessions/opened.ts';
export { createOpenSessions, type OpenSessions } from './sessions/openSessions.ts';
export { quiesce } from './sessions/quiesce.ts';

export { resolveInside } from './storage/paths.ts';
export { notebookRoot, openNotebookRoot } from './storage/roots.ts';
