// What settings say of the processes of cells, for a server and for a worker.
import type { Settings } from './table.ts';

type CellSettings = Pick<
  Settings,
  | 'notebookHarnessEnvAllowlist'
  | 'notebookCellMemoryMb'
  | 'notebookCellProcesses'
  | 'notebookCellOpenFiles'
  | 'notebookCellFileMb'
  | 'notebookCellNiceness'
>;

/** `variables`: the environment that cells see a part of. */
export const cellPolicyOf = <Variables>(settings: CellSettings, variables: Variables) => ({
  variables,
  allowlist: settings.notebookHarnessEnvAllowlist,
  limits: {
    memoryMb: settings.notebookCellMemoryMb,
    processes: settings.notebookCellProcesses,
    openFiles: settings.notebookCellOpenFiles,
    fileMb: settings.notebookCellFileMb,
    niceness: settings.notebookCellNiceness,
  },
});
