// The door of environments.
export { runCommand } from './command.ts';
export { createEnvironments, type Environments } from './environments.ts';
export { isForeignLock } from './foreignSources.ts';
export { maxImportCharacters } from './importFiles.ts';
export { couldNotice } from './installed.ts';
export { type AskedJob, addRequest, readJobRequest, readList, removeRequest } from './jobRequests.ts';
export type { EnvironmentJob } from './jobs.ts';
export { createPackageLender } from './lending.ts';
export { type ListBeside, listNames, mergedRequirements, readListsBeside } from './listsBeside.ts';
export { lockedBlock, lockedLibraryBlock } from './lockedBlock.ts';
export { environmentFolder, environmentKey, parseLock, renvLockKey } from './lockKey.ts';
export { makeshiftNote } from './makeshift.ts';
export type { NotebookEnvironment, StartedJob } from './notebookEnvironment.ts';
export { type JobRequest, labelOfRequest } from './operations.ts';
export { createOwnBackend } from './ownBackend.ts';
export { findPackage } from './packageIndex.ts';
export { previewImport } from './preview.ts';
export { readProject } from './projectFile.ts';
export { createPythons, type FindPythons, type InstalledPython, type Pythons } from './pythons.ts';
export { createRTools, needsRenv, type RTools } from './renv.ts';
export {
  isPackageName,
  maxRequirementCharacters,
  parseRequirement,
  type Requirement,
  RequirementError,
} from './requirement.ts';
export { installedIn } from './rLibrary.ts';
export { createSharedBackend } from './sharedBackend.ts';
export { collectEnvironments } from './sharedFolder.ts';
export { createSharedLibraries } from './sharedLibrary.ts';
export { programEnvironment, runUv } from './uv.ts';
