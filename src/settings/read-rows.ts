// Reads every row of the table once: first what was written, then the defaults, which may depend on what was written
// (the deployment mode, the notebook directory).

import { describeFlaw, type Environment, findGiven, type Source } from './given.ts';
import type { Places } from './kinds/index.ts';
import type { ProjectSection } from './project-file.ts';
import type { Basis, Row, RowsOf } from './row.ts';
import { type SettingKey, type Settings, settingsRows } from './table.ts';

interface Written {
  readonly overrides: { readonly [K in SettingKey]?: Settings[K] | undefined };
  readonly env: Environment;
  readonly project: ProjectSection;
  readonly places: Places;
}

export interface ReadRows {
  /** Complete; a malformed setting has its default here. */
  readonly settings: Settings;
  readonly sources: Record<SettingKey, Source>;
  readonly malformed: ReadonlySet<SettingKey>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Partway<T> = { -readonly [K in keyof T]?: T[K] };

const rows: RowsOf<Settings> = settingsRows;

export function readRows({ overrides, env, project, places }: Written): ReadRows {
  const values: Partway<Settings> = {};
  const sources: Partway<Record<SettingKey, Source>> = {};
  const malformed = new Set<SettingKey>();
  const problems: string[] = [];
  const warnings: string[] = [];

  const readWritten = <K extends SettingKey>(key: K): void => {
    const row: Row<Settings[K]> = rows[key];
    const given = findGiven<Settings[K]>(key, row, { override: overrides[key], env, project });
    if (given === null) return;
    const { reading, source } = given;
    if (reading.ok) {
      values[key] = settle(row, reading.value, places);
      sources[key] = source;
      return;
    }
    const projectFile = source === 'project' ? project.path : null;
    const flaws = reading.flaws.map((flaw) => describeFlaw(key, row, flaw, projectFile));
    if (row.forgiving) {
      warnings.push(...flaws.map((flaw) => `${flaw} (which is in force now)`));
    } else {
      malformed.add(key);
      problems.push(...flaws);
    }
  };

  const fillDefault = <K extends SettingKey>(key: K, basis: Basis): void => {
    if (key in values) return;
    const row: Row<Settings[K]> = rows[key];
    values[key] = settle(row, row.default.of(basis), places);
    sources[key] = 'default';
  };

  let key: SettingKey;
  for (key in rows) readWritten(key);
  const personal: Basis = { mode: 'personal', notebookStorageDir: '' };
  const basis: Basis = {
    mode: values.deploymentMode ?? rows.deploymentMode.default.of(personal),
    notebookStorageDir:
      values.notebookStorageDir ??
      settle(rows.notebookStorageDir, rows.notebookStorageDir.default.of(personal), places),
  };
  for (key in rows) fillDefault(key, basis);

  if (!isComplete(values) || !isComplete(sources)) throw new Error('A row of the settings table was not read');
  return { settings: values, sources, malformed, problems, warnings };
}

function settle<V>(row: Row<V>, value: V, places: Places): V {
  if (value === null || value === undefined || row.kind.settle === undefined) return value;
  return row.kind.settle(value, places);
}

function isComplete<T extends Record<SettingKey, unknown>>(values: Partway<T>): values is T {
  return Object.keys(rows).every((key) => key in values);
}
