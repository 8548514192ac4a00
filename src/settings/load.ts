// From defaults, project file, environment and overrides to one complete, checked value. Every problem of a start is
// collected before any is reported; a rule about a setting that is malformed itself stays silent.

import { homedir } from 'node:os';
import { SettingsError } from './errors.ts';
import type { Environment, Source } from './given.ts';
import { ambiguousBlocks, readProjectSection } from './project-file.ts';
import { readRows } from './read-rows.ts';
import { refusalsOf } from './refusals/index.ts';
import type { SettingKey, Settings } from './table.ts';
import { unknownNameWarnings } from './unknown-names.ts';

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
  const read = readRows({ overrides, env, project, places });
  const settings = Object.freeze(mergeShorthands(read.settings));
  const problems = [
    ...project.problems,
    ...ambiguousBlocks(project),
    ...read.problems,
    ...refusalsOf(settings, read.malformed),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings, warnings: [...unknownNameWarnings(env, project), ...read.warnings], sources: read.sources };
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
