// What one cell may take here, as it is told to people: by the setting that says so.
import { environmentName } from './row.ts';
import { type Settings, settingsRows } from './table.ts';

const keys = [
  'notebookCellMemoryMb',
  'notebookCellFileMb',
  'notebookCellOpenFiles',
  'notebookCellProcesses',
  'notebookCellNiceness',
] as const;

export function cellLimitsTold(settings: Settings) {
  const { deploymentMode: mode, notebookStorageDir } = settings;
  const limits = keys.map((key) => {
    const row = settingsRows[key];
    const value = settings[key];
    const is_default = value === row.default.of({ mode, notebookStorageDir });
    return { setting: environmentName(key, row), value, is_default, meaning: row.meaning };
  });
  return { limits };
}
