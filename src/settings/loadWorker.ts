// The settings of `svc-worker`: its own rows and the few it shares with the server, from the environment and its
// command-line flags. It has no project file, and the server's other settings are none of its business.

import { homedir } from 'node:os';
import { SettingsError } from './errors.ts';
import type { LoadOptions } from './load.ts';
import { NO_PROJECT } from './projectFile.ts';
import { readRows } from './readRows.ts';
import type { Basis, ValuesOf } from './row.ts';
import { workerRows } from './table/programs.ts';
import { settingsRows } from './table.ts';

const rows = {
  ...workerRows,
  notebookCredentials: settingsRows.notebookCredentials,
  notebookMountCredentials: settingsRows.notebookMountCredentials,
  notebookMountCacheDir: settingsRows.notebookMountCacheDir,
  notebookMountCacheMaxBytes: settingsRows.notebookMountCacheMaxBytes,
  notebookMountCacheMaxIdleDays: settingsRows.notebookMountCacheMaxIdleDays,
  s3ConnectTimeoutSeconds: settingsRows.s3ConnectTimeoutSeconds,
  s3RequestTimeoutSeconds: settingsRows.s3RequestTimeoutSeconds,
  notebookHarnessEnvAllowlist: settingsRows.notebookHarnessEnvAllowlist,
  notebookCellMemoryMb: settingsRows.notebookCellMemoryMb,
  notebookCellProcesses: settingsRows.notebookCellProcesses,
  notebookCellOpenFiles: settingsRows.notebookCellOpenFiles,
  notebookCellFileMb: settingsRows.notebookCellFileMb,
  notebookCellNiceness: settingsRows.notebookCellNiceness,
  notebookObjectCodec: settingsRows.notebookObjectCodec,
  logLevel: settingsRows.logLevel,
  logFormat: settingsRows.logFormat,
  tracingEnabled: settingsRows.tracingEnabled,
  otlpEndpoint: settingsRows.otlpEndpoint,
  otlpServiceName: settingsRows.otlpServiceName,
};

export type WorkerSettings = ValuesOf<typeof rows>;

export interface LoadWorkerOptions extends Pick<LoadOptions, 'env' | 'cwd'> {
  /** Flags of the command line, which win over the environment. */
  readonly overrides?: { readonly [K in keyof WorkerSettings]?: WorkerSettings[K] | undefined };
}

export interface LoadedWorkerSettings {
  readonly settings: WorkerSettings;
  readonly warnings: readonly string[];
}

export function loadWorkerSettings({ env, cwd, overrides = {} }: LoadWorkerOptions): LoadedWorkerSettings {
  const home = env.HOME || homedir();
  const basis: Basis = { mode: 'personal', notebookStorageDir: `${home}/.svc/notebooks` };
  const written = { overrides, env, project: NO_PROJECT, places: { home, cwd } };
  const { values, problems, warnings } = readRows<WorkerSettings>(rows, written, () => basis);
  if (problems.length > 0) throw new SettingsError(problems, warnings);
  return { settings: Object.freeze(values), warnings };
}
