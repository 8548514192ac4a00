// What was written for one setting, and where: an override, the environment or the project file, in that order. Turns
// the flaws of a kind into problems that name the setting as the operator wrote it.

import type { Reading, SettingFlaw } from './kinds/index.ts';
import type { ProjectSection } from './projectFile.ts';
import { configKey, environmentName, type Row } from './row.ts';

export type Source = 'default' | 'project' | 'environment' | 'override';
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Given<V> {
  readonly source: Exclude<Source, 'default'>;
  readonly reading: Reading<V>;
}

export interface Sources<V> {
  readonly override: V | undefined;
  readonly env: Environment;
  readonly project: ProjectSection;
}

/** The most binding value written for a row; null when there is none. What it shadows is not looked at. */
export function findGiven<V>(key: string, row: Row<V>, { override, env, project }: Sources<V>): Given<V> | null {
  if (override !== undefined) {
    return {
      source: 'override',
      reading: override === null ? { ok: true, value: override } : row.kind.fromValue(override),
    };
  }
  const text = env[environmentName(key, row)]?.trim() ?? '';
  if (text !== '') return { source: 'environment', reading: row.kind.fromText(text) };
  const value = row.environmentOnly ? undefined : projectValue(key, row, project);
  return value === undefined ? null : { source: 'project', reading: row.kind.fromValue(value) };
}

function projectValue(key: string, row: Row<unknown>, { values }: ProjectSection): unknown {
  const block = row.block === null ? undefined : values[row.block];
  return block ?? values[configKey(key)];
}

/** `projectFile` is where the value was written, null when it was not the project file. */
export function describeFlaw(key: string, row: Row<unknown>, flaw: SettingFlaw, projectFile: string | null): string {
  const isWhole = flaw.path === '';
  const name = projectFile !== null || !isWhole ? configKey(key) : environmentName(key, row);
  const subject = `${name}${flaw.path}${projectFile === null ? '' : ` in ${projectFile}`}`;
  if (!isWhole) return `${subject}: ${flaw.message}`;
  const found = flaw.found === null || row.secret ? 'the value' : flaw.found;
  const remedy = flaw.remedy ?? 'correct it, or remove it to use the default';
  return `${subject}: ${found} ${flaw.message}; ${remedy}`;
}
