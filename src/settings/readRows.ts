// Reads every row of a table once: first what was written, then the defaults, which may depend on what was written
// (the deployment mode, the notebook directory). Keeps rows and values paired by type; decides nothing about them.

import { describeFlaw, type Environment, findGiven, type Source } from './given.ts';
import type { Places } from './kinds/index.ts';
import type { ProjectSection } from './projectFile.ts';
import type { Basis, Row, RowsOf } from './row.ts';

export interface Written<S> {
  readonly overrides: { readonly [K in keyof S]?: S[K] | undefined };
  readonly env: Environment;
  readonly project: ProjectSection;
  readonly places: Places;
}

export interface ReadRows<S> {
  /** Complete; a malformed setting has its default here. */
  readonly values: S;
  readonly sources: Readonly<Record<keyof S, Source>>;
  readonly malformed: ReadonlySet<keyof S>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Values on their way to being complete. */
export type Partway<S> = { -readonly [K in keyof S]?: S[K] };

export function readRows<S extends object>(
  rows: RowsOf<S>,
  { overrides, env, project, places }: Written<S>,
  basisOf: (written: Partway<S>) => Basis,
): ReadRows<S> {
  const values: Partway<S> = {};
  const sources: Partway<Record<keyof S, Source>> = {};
  const malformed = new Set<keyof S>();
  const problems: string[] = [];
  const warnings: string[] = [];

  const readWritten = <K extends keyof S & string>(key: K): void => {
    const row: Row<S[K]> = rows[key];
    const given = findGiven<S[K]>(key, row, { override: overrides[key], env, project });
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

  const fillDefault = <K extends keyof S & string>(key: K, basis: Basis): void => {
    if (key in values) return;
    const row: Row<S[K]> = rows[key];
    values[key] = settle(row, row.default.of(basis), places);
    sources[key] = 'default';
  };

  for (const key in rows) readWritten(key);
  const basis = basisOf(values);
  for (const key in rows) fillDefault(key, basis);

  if (!isComplete<S>(values, rows) || !isComplete<Record<keyof S, Source>>(sources, rows)) {
    throw new Error('A row of the settings table was not read');
  }
  return { values, sources, malformed, problems, warnings };
}

export function settle<V>(row: Row<V>, value: V, places: Places): V {
  if (value === null || value === undefined || row.kind.settle === undefined) return value;
  return row.kind.settle(value, places);
}

function isComplete<S extends object>(values: Partway<S>, rows: object): values is S {
  return Object.keys(rows).every((key) => key in values);
}
