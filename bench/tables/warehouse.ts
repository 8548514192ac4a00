// The tables that scans are measured on, made by pyiceberg once and kept: many rows, many small files, many columns, long texts.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { enginePython, tools } from '../../scripts/setup/places.js';
import { kept } from '../line.ts';
import { NotMeasured } from '../notMeasured.ts';
import { runPython } from '../programs/python.ts';

export const rows = 10_000_000;
export const folder = path.join(tools, 'bench-warehouse');

const make = `
import os, sys
import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
wh, final = ${JSON.stringify(`${folder}.part`)}, ${JSON.stringify(folder)}
catalog = SqlCatalog("svc", uri=f"sqlite:///{wh}/catalog.db", warehouse=f"file://{final}")
os.makedirs(final, exist_ok=True)
catalog.create_namespace("db")
names = ["id"] + [f"f{i}" for i in range(4)] + [f"i{i}" for i in range(3)]
n = 1_000_000
def part(p):
    floats = [pc.random(n, initializer=p * 10 + i) for i in range(4)]
    ints = [pc.cast(pc.multiply(pc.random(n, initializer=p * 10 + 5 + i), 1e6), pa.int64(), safe=False) for i in range(3)]
    return pa.table([pa.array(range(p * n, (p + 1) * n), pa.int64()), *floats, *ints], names=names)
table = catalog.create_table("db.ten", schema=part(0).schema)
for p in range(${rows} // n): table.append(part(p))
small = pa.table({"id": pa.array(range(1000), pa.int64()), "v": pc.random(1000), "s": [str(i) for i in range(1000)]})
files = []
os.makedirs(f"{final}/files")
for i in range(2000):
    files.append(f"file://{final}/files/{i}.parquet")
    pq.write_table(small, f"{final}/files/{i}.parquet")
catalog.create_table("db.small", schema=small.schema).add_files(files)
wide = pa.table({f"c{i}": pc.random(100_000, initializer=i) for i in range(500)})
catalog.create_table("db.wide", schema=wide.schema).append(wide)
n = 500_000
def texts(p):
    base = pa.array(range(p * n, (p + 1) * n))
    def column(k):
        number = pc.cast(pc.multiply(base, k + 7919), pa.string())
        return pc.binary_join_element_wise(number, pc.cast(pc.random(n, initializer=p * 10 + k), pa.string()), f"-{k}-")
    return pa.table({"id": base, **{f"s{k}": column(k) for k in range(4)}})
strings = catalog.create_table("db.strings", schema=texts(0).schema)
for p in range(4): strings.append(texts(p))
`;

/** Made once and kept: it takes a minute. */
export const warehouse = kept(async (context) => {
  if (!existsSync(enginePython)) throw new NotMeasured('needs the data engine: run npm start once');
  if (existsSync(path.join(folder, 'catalog.db'))) return folder;
  await rm(folder, { recursive: true, force: true });
  await rm(`${folder}.part`, { recursive: true, force: true });
  await mkdir(`${folder}.part`, { recursive: true });
  await runPython(context, enginePython, make);
  await rename(`${folder}.part/catalog.db`, path.join(folder, 'catalog.db'));
  return folder;
});
