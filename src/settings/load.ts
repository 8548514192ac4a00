// From defaults, project file, environment and overrides to one complete, checked value. Every problem of a start is
// collected before any is reported; a rule about a setting that is malformed itself stays silent.

import { homedir } from 'node:os';
import { SettingsError } from './errors.ts';
import type { Environment, Source } from './given.ts';
import type { Places } from './kinds/index.ts';
import { ambiguousBlocks, readProjectSection } from './projectFile.ts';
import { type Partway, readRows, settle } from './readRows.ts';
import { refusalsOf } from './refusals/index.ts';
import type { Basis } from './row.ts';
import { type SettingKey, type Settings, settingsRows } from './table.ts';
import { unknownNameWarnings } from './unknownNames.ts';

/** `undefined` is "not given"; `null` unsets a setting that may be unset. */
export type Overrides = { readonly [K in SettingKey]?: Settings[K] | undefined };

export interface LoadOptions {
  readonly env: Environment;
  /** Directory whose project file is read and that relative paths start from. */
  readonly cwd: string;
  readonly overrides?: Overrides;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly sources: Readonly<Record<SettingKey, Source>>;
}

export function loadSettings({ env, cwd, overrides = {} }: LoadOptions): LoadedSettings {
  const project = readProjectSection(cwd);
  const places = { home: env.HOME || homedir(), cwd };
  const read = readRows<Settings>(settingsRows, { overrides, env, project, places }, (written) =>
    basisOf(written, places),
  );
  const settings = Object.freeze(mergeShorthands(read.values));
  const warnings = [...unknownNameWarnings(env, project), ...read.warnings];
  const problems = [
    ...project.problems,
    ...ambiguousBlocks(project),
    ...read.problems,
    // Without what an unreadable project file says, no combination can be judged.
    ...(project.problems.length > 0 ? [] : refusalsOf(settings, read.malformed)),
  ];
  if (problems.length > 0) throw new SettingsError(problems, warnings);
  return { settings, warnings, sources: read.sources };
}

function basisOf({ deploymentMode, notebookStorageDir }: Partway<Settings>, places: Places): Basis {
  const { deploymentMode: modeRow, notebookStorageDir: storageRow } = settingsRows;
  const outset: Basis = { mode: 'personal', notebookStorageDir: '' };
  return {
    mode: deploymentMode ?? modeRow.default.of(outset),
    notebookStorageDir: notebookStorageDir ?? settle(storageRow, storageRow.default.of(outset), places),
  };
}

/** Two settings are only another way to write one key of a larger one. */
function mergeShorthands(settings: Settings): Settings {
  const { transformsEnabled, transformsConfig, catalogUri, catalogProperties } = settings;
  return {
    ...settings,
    transformsConfig:
      transformsEnabled === null ? transformsConfig : { ...transformsConfig, enabled: transformsEnabled },
    catalogProperties: catalogUri === null ? catalogProperties : { ...catalogProperties, uri: catalogUri },
  };
}
