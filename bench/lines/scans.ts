// Scans as clients meet them: a table of many rows with nothing cached, with its row groups cached, filtered; one of many small
// files; a query over the rows. What pyarrow and DuckDB need for the same work alone is the limit.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { enginePython, tools } from '../../scripts/setup/places.js';
import { type Context, kept, type Line, NotMeasured } from '../line.ts';
import { requestsPerSecond } from '../load/load.ts';
import { svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';
import { runPython } from '../programs/python.ts';

const rows = 10_000_000;
const folder = path.join(tools, 'bench-tables');

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
`;

/** Made once and kept: it takes half a minute. */
const warehouse = kept(async (context) => {
  if (!existsSync(enginePython)) throw new NotMeasured('needs the data engine: run npm start once');
  if (existsSync(path.join(folder, 'catalog.db'))) return folder;
  await rm(folder, { recursive: true, force: true });
  await rm(`${folder}.part`, { recursive: true, force: true });
  await mkdir(`${folder}.part`, { recursive: true });
  await runPython(context, enginePython, make);
  await rename(`${folder}.part/catalog.db`, path.join(folder, 'catalog.db'));
  return folder;
});

const settings = {
  SVC_RATE_LIMIT_ENABLED: 'false',
  SVC_MAX_RESPONSE_BYTES: '4000000000',
  SVC_MAX_TASKS_PER_SCAN: '5000',
  SVC_PER_CLIENT_BULK: '0',
};

/** A server whose processes have loaded what they need. */
const server = kept(async (context) => {
  const program = await startProgram(context, svcServer(settings));
  const { stream_url } = await order(context, program, 'small', {
    columns: ['v'],
    filters: [{ column: 'id', op: '<', value: 0 }],
  });
  await receive(program, stream_url);
  return program;
});

async function order(context: Context, { port }: RunningProgram, table: string, params: object, more: object = {}) {
  const transform = { executor: 'scan@v1', params };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/materialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: [`${await warehouse(context)}#db.${table}`], transform, ...more }),
  });
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${await answer.text()}`);
  return Object(await answer.json());
}

interface Received {
  readonly firstMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

/** Read into one buffer: what a client makes of the bytes is not measured. */
function receive({ port }: RunningProgram, place: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstMs = 0;
    let bytes = 0;
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: Buffer.alloc(1024 * 1024),
        callback: (count) => {
          firstMs ||= performance.now() - began;
          bytes += count;
          return true;
        },
      },
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ firstMs, totalMs: performance.now() - began, bytes }));
    socket.write(`GET ${place} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  });
}

const rate = ({ bytes, totalMs }: Received): number => bytes / 1_000_000 / (totalMs / 1000);

/** Again until nothing is left: what a result is still being made from stays. */
async function clear({ port }: RunningProgram): Promise<void> {
  const cache = `http://127.0.0.1:${port}/v1/cache`;
  for (let left = 1; left > 0; ) {
    await fetch(`${cache}/clear`, { method: 'POST' });
    left = Object(await (await fetch(`${cache}/stats`)).json()).total_entries;
  }
}

async function cold(context: Context): Promise<Received> {
  const program = await server(context);
  await clear(program);
  const { stream_url } = await order(context, program, 'ten', {}, { refresh: true });
  const received = await receive(program, stream_url);
  if (received.bytes < rows * 64) throw new Error(`Only ${received.bytes} bytes came.`);
  return received;
}

const decodeAlone = `
import glob, time, pyarrow as pa, pyarrow.ipc as ipc, pyarrow.parquet as pq
began, size = time.perf_counter(), 0
for file in glob.glob(${JSON.stringify(folder)} + "/db/ten/data/*.parquet"):
    source = pq.ParquetFile(file)
    for group in range(source.num_row_groups):
        table = source.read_row_group(group)
        with pa.OSFile("/dev/null", "wb") as sink, ipc.new_stream(sink, table.schema) as writer: writer.write_table(table)
        size += table.nbytes
print(size / 1e6 / (time.perf_counter() - began))
`;

export const scanCold: Line = {
  name: 'scan of 10 M × 8, nothing cached',
  unit: 'MB/s',
  onlyFull: true,
  ours: async (context) => rate(await cold(context)),
  limits: {
    'pyarrow decodes alone': async (context) => {
      await warehouse(context);
      return Number(await runPython(context, enginePython, decodeAlone));
    },
  },
};

export const scanFirstByte: Line = {
  name: 'scan of 10 M × 8, nothing cached: first byte',
  unit: 'ms',
  onlyFull: true,
  budget: { atMost: 300 },
  ours: async (context) => (await cold(context)).firstMs,
};

const cachedTen = kept(async (context) => {
  await cold(context);
  return server(context);
});

export const scanCached: Line = {
  name: 'scan of 10 M × 8, row groups cached',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 1000 },
  async ours(context) {
    const program = await cachedTen(context);
    const { stream_url } = await order(context, program, 'ten', {}, { refresh: true });
    return rate(await receive(program, stream_url));
  },
};

let threshold = 9_000_000;

export const scanFiltered: Line = {
  name: 'filtered scan of 10 M × 8, nothing cached',
  unit: 'ms',
  warmUp: true,
  onlyFull: true,
  budget: { atMost: 80 },
  async ours(context) {
    const program = await server(context);
    const began = performance.now();
    threshold += 1;
    const filters = [
      { column: 'id', op: '>=', value: threshold },
      { column: 'id', op: '<', value: threshold + 1000 },
    ];
    const { stream_url } = await order(context, program, 'ten', { columns: ['id', 'f0'], filters });
    await receive(program, stream_url);
    return performance.now() - began;
  },
};

export const planSmallFiles: Line = {
  name: 'plan of 2 000 files, from cached metadata',
  unit: 'ms',
  warmUp: true,
  onlyFull: true,
  budget: { atMost: 50 },
  async ours(context) {
    const program = await server(context);
    const began = performance.now();
    await order(context, program, 'small', { columns: ['id'] });
    return performance.now() - began;
  },
};

const storedSmall = kept(async (context) => {
  const program = await server(context);
  const params = { columns: ['v'], filters: [{ column: 'id', op: '<', value: 0 }] };
  while (!(await order(context, program, 'small', params)).hit);
  return program;
});

export const materializeHit: Line = {
  name: 'materialize hit over 8 connections',
  unit: 'per s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 3000 },
  async ours(context) {
    const program = await storedSmall(context);
    const transform = {
      executor: 'scan@v1',
      params: { columns: ['v'], filters: [{ column: 'id', op: '<', value: 0 }] },
    };
    const body = JSON.stringify({ inputs: [`${await warehouse(context)}#db.small`], transform });
    return requestsPerSecond(context, program, { path: '/v1/materialize', connections: 8, body });
  },
};
