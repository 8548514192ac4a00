// The door of environments.
export {
  createNotebookEnvironment,
  type EnvironmentJob,
  type EnvironmentState,
  type NotebookEnvironment,
} from './environment.ts';
export { lockfileHash } from './lockHash.ts';
export { type InstalledPython, installedPythons } from './pythons.ts';
