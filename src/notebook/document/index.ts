// The door of the notebook directory on disk: reading it, editing it, and noticing what others do to it.
export { isTemporary, replaceAtomically, storageRefusal, writeAtomically } from './atomicWrite.ts';
export {
  addCell,
  type CellKeys,
  cellOf,
  type DeletedCell,
  deleteCell,
  type NewCell,
  newCellId,
  reorderCells,
  restoreCell,
  setCellKeys,
  setCellSource,
  setCellTests,
  withSourceOnDisk,
} from './cells.ts';
export {
  createNotebook,
  createNotebookFor,
  createOrComplete,
  type NewNotebook,
  notebookDirectory,
  notebookPlace,
  type StartingCell,
  starterCells,
} from './create.ts';
export { discoverNotebooks, type FoundNotebook, foldersWithoutFile, isSearched, notebookFolders } from './discover.ts';
export { testFileName } from './files.ts';
export { type ImportedOutput, importedFile, parseImported, printImported } from './importedOutputs.ts';
export {
  type JupyterCellFacts,
  type JupyterFacts,
  jupyterFileName,
  printJupyterFacts,
  readJupyterFacts,
} from './jupyterFacts.ts';
export {
  type Cell,
  type Connection,
  cellsFolderName,
  type FetchedEnv,
  type FileProblem,
  type MalformedConnection,
  type Notebook,
  notebookFileName,
  nothingFetched,
} from './notebook.ts';
export { identityNow } from './ownWrites.ts';
export { readNotebook, sourceFilesOf, sourcesRead } from './read.ts';
export { deleteNotebook } from './remove.ts';
export type { SaveOptions } from './save.ts';
export { openSavedMap } from './savedMap.ts';
export {
  type AiConfig,
  connectionName,
  connectionSchema,
  type Mount,
  mountSchema,
  type SecretManagerConfig,
  secretManagerKeys,
  type VariantGroupEntry,
  type WorkerSpec,
  workerSchema,
} from './schema.ts';
export {
  connectionInMemory,
  envOnDisk,
  isIndirection,
  looksSecret,
  maskedEnv,
  maskedValue,
  unmasked,
} from './secrets.ts';
export {
  checkMounts,
  renameNotebook,
  setAi,
  setCatalogs,
  setConnections,
  setEnv,
  setKeepsWidgets,
  setMounts,
  setNotebookTimeout,
  setNotebookWorker,
  setReactive,
  setSecretManager,
  setStrictPackages,
  setVariantGroup,
  setWorkers,
} from './settings.ts';
export { type NotebookWatch, type OutsideChange, type WatchOptions, watchNotebook } from './watch.ts';
