// The connections of an open notebook as its users meet them outside of cells: whether one may be declared, and what a
// database holds.
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { columnsSql, functionsSql, previewSql, type SqlProcesses, schemaSql } from '../../sql/index.ts';
import { notebookEnv } from '../annotations/index.ts';
import type { Connection, Notebook } from '../document/index.ts';
import { workFolderName } from '../files/index.ts';
import { confinement } from './confinement.ts';
import { ConnectionRefused, type Opened, openConnection } from './open.ts';
import type { ConnectionParts } from './parts.ts';

export interface DatabaseTable {
  readonly catalog: string | null;
  readonly schema: string | null;
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[];
}

export interface TablePreview {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const previewRows = 20;

export interface Connections {
  /** Throws a refusal for a connection that this server would never open. */
  check(connections: readonly Connection[]): void;
  /** Opened read-only. */
  tables(name: string): Promise<{ driver: string; tables: readonly DatabaseTable[] }>;
  /** The first rows of a table, as texts; opened read-only. */
  preview(name: string, table: readonly string[]): Promise<TablePreview>;
  /** Names of functions that queries on such a database may call; nothing where only the database could tell. */
  functions(driver: string): Promise<readonly string[]>;
  /** Names of the columns of a file in the folder that cells run in; nothing where it cannot be read. */
  fileColumns(file: string): Promise<readonly string[]>;
}

export interface BrowseParts extends ConnectionParts {
  readonly processes: SqlProcesses;
  readonly notebook: () => Notebook;
}

export function createConnections({ processes, notebook, ...parts }: BrowseParts): Connections {
  function opened(connection: Connection): Opened {
    const { directory, mounts, catalogs } = notebook();
    const env = notebookEnv(notebook());
    try {
      return openConnection(parts, connection, { directory, env, mounts, catalogs, write: false, principal: null });
    } catch (error) {
      throw error instanceof ConnectionRefused ? refusals.connectionRefused(error.message) : error;
    }
  }

  function called(name: string): Connection {
    const connection = notebook().connections.find((one) => one.name === name);
    if (!connection) throw refusals.connectionUnknown(name);
    return connection;
  }

  return {
    check(connections) {
      for (const connection of connections) {
        const problem = confinement(parts, connection, notebook().directory);
        if (problem !== null) throw refusals.connectionRefused(`connection '${connection.name}': ${problem}`);
      }
    },
    async tables(name) {
      const connection = called(name);
      const { connection: open, hide } = opened(connection);
      const found = await schemaSql(processes, name, open);
      if ('error' in found) throw refusals.databaseFailed(hide(found.error));
      return { driver: connection.driver, tables: found.tables };
    },
    async preview(name, table) {
      const { connection, hide } = opened(called(name));
      const found = await previewSql(processes, { connection, table, rows: previewRows });
      if ('error' in found) throw refusals.databaseFailed(hide(found.error));
      return found;
    },
    async functions(driver) {
      const found = await functionsSql(processes, driver);
      return 'error' in found ? [] : found.names;
    },
    async fileColumns(file) {
      const folder = path.join(notebook().directory, workFolderName);
      const reader = { driver: 'duckdb', path: ':memory:', folder, files: [file], confined: !parts.personal };
      const found = await columnsSql(processes, reader);
      return 'error' in found ? [] : found.names;
    },
  };
}
