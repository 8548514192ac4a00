// As of when the tables of a query are read: by what the database says of them now, or as they were at a moment that was chosen.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Description, probeSql } from '../../sql/index.ts';
import { mountNames, textOf } from '../connections/index.ts';
import { CellRefused, type CellWork } from './language.ts';
import { isOfLake, lakeTablesOf, type Prepared, queryOf, type Snapshots, type SqlParts } from './sqlPrepare.ts';
import type { SqlSnapshot } from './sqlSnapshots.ts';

export interface SqlFreshness {
  /** What the tables that a query reads look like now, beside the `files` of its mounts. */
  freshness(work: CellWork, prepared: Prepared, files: string, signal: AbortSignal): Promise<unknown>;
  /** The moment that a cell reads: the one that was chosen before, unless the cell is run anew. */
  momentOf(work: CellWork, prepared: Prepared, renew: boolean, signal: AbortSignal): Promise<SqlSnapshot>;
}

/** `pins`: what was found of each cell's tables. */
export function createFreshness(
  { processes, snapshots }: SqlParts,
  now: () => number,
  pins: Map<string, Snapshots>,
): SqlFreshness {
  return {
    async freshness(work, prepared, files, signal) {
      const { described, opened } = prepared;
      if (described.dynamic.length > 0) return randomUUID();
      if (isOfValues(prepared)) return nothingAsked(files);
      const tables = databaseTables(prepared);
      const found = await probeSql(processes, { connection: opened.connection, tables }, signal);
      if ('error' in found) throw new CellRefused('SqlProbeFailed', opened.hide(found.error));
      const pinned = snapshotsIn(found.freshness);
      pins.set(work.cell.id, pinned);
      // A table of a lake that was never written to has nothing to be known by.
      if (Object.values(pinned).includes(null)) return randomUUID();
      // Where the database cannot tell, a result holds as long as the session.
      return { files, ...found, freshness: found.freshness ?? `session:${work.openingId}` };
    },

    async momentOf(work, prepared, renew, signal) {
      const { connection, body, described, opened } = prepared;
      const [unknown] = described.dynamic;
      if (unknown !== undefined)
        throw new CellRefused(
          'SqlCachePolicy',
          `@cache snapshot reads tables as they were, and which one ${unknown} is only shows when the query runs.`,
        );
      if (prepared.snapshot && !renew) return prepared.snapshot;
      const isLake = connection.driver === 'duckdb';
      const found = isLake
        ? await probeSql(processes, { connection: opened.connection, tables: [] }, signal)
        : undefined;
      if (found && 'error' in found) throw new CellRefused('SqlProbeFailed', opened.hide(found.error));
      const chosen = {
        query: queryOf(work, connection, body),
        at: new Date(now() * 1000).toISOString(),
        tables: snapshotsIn(found?.freshness),
      };
      await snapshots.keep(work.cell.id, chosen);
      return chosen;
    },
  };
}

/** Tables that the database has, and neither a cell, a mount nor a lake. */
function databaseTables({ connection, body, described, frames }: Prepared): Description['tables'] {
  // A database file may have a table of the same name, which comes first.
  const values = textOf(connection, 'path') === ':memory:' ? frames : [];
  const beside = [...body.tables, ...mountNames(connection), ...values];
  return described.tables.filter((parts) => !isOfLake(connection, parts) && !isBeside(parts, beside));
}

/** Whether a query reads what other cells made and files, and no table of a database. */
export const isOfValues = (prepared: Prepared): boolean =>
  prepared.described.dynamic.length === 0 &&
  databaseTables(prepared).length === 0 &&
  lakeTablesOf(prepared.connection, prepared.described).length === 0;

/** What such a query looks like from outside. `files`: of its mounts. */
export const nothingAsked = (files: string): unknown => ({ files });

const lakeFreshness = z.object({ snapshots: z.record(z.string(), z.string().nullable()) });

const snapshotsIn = (freshness: unknown): Snapshots => lakeFreshness.safeParse(freshness).data?.snapshots ?? {};

/** A table of another cell or a mount: it has no other name before it. */
const isBeside = ([name = '', ...more]: readonly string[], names: readonly string[]): boolean =>
  more.length === 0 && names.includes(name);
