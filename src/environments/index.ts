// The door of environments.
export type { PythonBackend } from './backend.ts';
export type {
  EnvironmentPayload,
  EnvironmentWatcher,
  NotebookEnvironment,
  StartedJob,
} from './environment.ts';
export { createEnvironments, type Environments } from './environments.ts';
export {
  type ImportedList,
  maxImportCharacters,
} from './importFiles.ts';
export { type AskedJob, addRequest, readJobRequest, readList, removeRequest } from './jobRequests.ts';
export { type EnvironmentJob, environmentActions } from './jobs.ts';
export { environmentKey, parseLock, renvLockKey } from './lockKey.ts';
export type { JobRequest } from './operations.ts';
export { createOwnBackend } from './ownBackend.ts';
export { type ImportPreview, previewImport } from './preview.ts';
export { type InstalledPython, installedPythons } from './pythons.ts';
export { createRTools, type RTools } from './renv.ts';
export { maxRequirementCharacters, parseRequirement } from './requirement.ts';
export { createSharedBackend } from './sharedBackend.ts';
export { type Collected, collectEnvironments } from './sharedFolder.ts';
export { createSharedLibraries } from './sharedLibrary.ts';
export type { EnvironmentState } from './state.ts';
