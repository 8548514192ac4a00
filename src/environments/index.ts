// The door of environments.
export { runCommand } from './command.ts';
export { createEnvironments, type Environments } from './environments.ts';
export { maxImportCharacters } from './importFiles.ts';
export { type AskedJob, addRequest, readJobRequest, readList, removeRequest } from './jobRequests.ts';
export type { EnvironmentJob } from './jobs.ts';
export { lockedBlock } from './lockedBlock.ts';
export { environmentFolder, environmentKey, parseLock, renvLockKey } from './lockKey.ts';
export type { NotebookEnvironment, StartedJob } from './notebookEnvironment.ts';
export type { JobRequest } from './operations.ts';
export { createOwnBackend } from './ownBackend.ts';
export { previewImport } from './preview.ts';
export { type InstalledPython, installedPythons } from './pythons.ts';
export { createRTools, type RTools } from './renv.ts';
export { maxRequirementCharacters, parseRequirement } from './requirement.ts';
export { createSharedBackend } from './sharedBackend.ts';
export { collectEnvironments } from './sharedFolder.ts';
export { createSharedLibraries } from './sharedLibrary.ts';
export { runUv } from './uv.ts';
