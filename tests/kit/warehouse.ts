// Iceberg warehouses made by pyiceberg itself, in the engine's own environment: what the service reads, another program wrote.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { enginePython } from '../../scripts/setup/places.js';

const execute = promisify(execFile);

const prelude = `
import sys, os, json, datetime, decimal, uuid
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import *
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.transforms import *
wh = sys.argv[1]
catalog = SqlCatalog("svc", uri=f"sqlite:///{wh}/catalog.db", warehouse=f"file://{wh}")
catalog.create_namespace_if_not_exists("db")
`;

export interface Warehouse extends AsyncDisposable {
  readonly folder: string;
  /** The address of a table in namespace `db`. */
  uri(table: string): string;
  /** Runs Python with `catalog`, `wh`, `pa` and pyiceberg's names at hand; gives what it printed. */
  python(source: string): Promise<string>;
}

export async function createWarehouse(source = ''): Promise<Warehouse> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-warehouse-'));
  const python = async (text: string): Promise<string> => {
    const { stdout } = await execute(enginePython, ['-c', `${prelude}\n${text}`, folder], { maxBuffer: 1 << 28 });
    return stdout.trim();
  };
  if (source !== '') await python(source);
  return {
    folder,
    python,
    uri: (table) => `file://${folder}#db.${table}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
