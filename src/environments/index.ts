// The door of environments.
export {
  type EnvironmentJob,
  type EnvironmentState,
  type NotebookEnvironment,
  openNotebookEnvironment,
} from './environment.ts';
export { lockfileHash } from './lockHash.ts';
export { type InstalledPython, installedPythons } from './pythons.ts';
export { requestedPython } from './requestedPython.ts';
