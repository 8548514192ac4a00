// A table of 64 MiB on its way into the store as clients send one, Arrow in a multipart body that is scanned, hashed and
// written, and out of it again. The numbers are random, so that bytes which might begin a boundary come up as often as they do in real ones.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { enginePython } from '../../scripts/setup/places.js';
import { type Context, kept, type Line } from '../line.ts';
import { svcServer } from '../programs/own.ts';
import { startProgram } from '../programs/program.ts';
import { runPython } from '../programs/python.ts';
import { rate as rateOf, receive } from '../tables/reading.ts';

const rows = 2 * 1024 * 1024;
const rate = (bytes: number, began: number): number => bytes / 1000 / (performance.now() - began);

const written = (file: string): string => `
import os, pyarrow as pa
numbers = lambda: pa.Array.from_buffers(pa.int64(), ${rows}, [None, pa.py_buffer(os.urandom(${rows} * 8))])
table = pa.table({name: numbers() for name in "abcd"})
with pa.OSFile(${JSON.stringify(file)}, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
    writer.write_table(table, max_chunksize=65536)
`;

/** A file. */
export const arrowTable = kept(async (context) => {
  const file = path.join(context.sandbox.folder(), 'table.arrow');
  await runPython(context, enginePython, written(file));
  return file;
});

const table = kept(async (context) => readFile(await arrowTable(context)));

export const arrowServer = kept((context) => startProgram(context, svcServer({ SVC_RATE_LIMIT_ENABLED: 'false' })));

async function store(context: Context): Promise<{ readonly rate: number; readonly place: string }> {
  const [{ port }, bytes] = [await arrowServer(context), await table(context)];
  const edge = 'svc-bench';
  const part = (name: string): string =>
    `--${edge}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const transform = { executor: 'bench@v1', params: { once: randomUUID() } };
  const metadata = JSON.stringify({ inputs: [], transform });
  const head = Buffer.from(`${part('metadata')}${metadata}\r\n${part('data')}`);
  const body = Buffer.concat([head, bytes, Buffer.from(`\r\n--${edge}--\r\n`)]);
  const began = performance.now();
  // Not fetch, which has more to do for these bytes than the server.
  const request = http.request({
    port,
    host: '127.0.0.1',
    method: 'PUT',
    path: '/v1/artifacts',
    headers: { 'content-type': `multipart/form-data; boundary=${edge}`, 'content-length': body.length },
  });
  request.end(body);
  const [answer]: http.IncomingMessage[] = await once(request, 'response');
  const said = answer && Buffer.concat(await answer.toArray()).toString();
  if (answer?.statusCode !== 200) throw new Error(`Storing answered ${answer?.statusCode}: ${said}`);
  const [, id, version] = /artifact\/([^"]+)@v=(\d+)/.exec(said ?? '') ?? [];
  return { rate: rate(bytes.length, began), place: `/v1/artifacts/${id}/v/${version}/data` };
}

/** The same bytes, hashed and written to disk by the plainest program. */
async function writeAndHash(context: Context): Promise<number> {
  const bytes = await table(context);
  const file = path.join(context.sandbox.folder(), 'limit');
  const began = performance.now();
  const handle = await open(file, 'w');
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += 1024 * 1024) {
    const piece = bytes.subarray(at, at + 1024 * 1024);
    const writing = handle.write(piece);
    hash.update(piece);
    await writing;
  }
  await handle.sync();
  await handle.close();
  const measured = rate(bytes.length, began);
  await rm(file);
  return measured;
}

export const storeArrow: Line = {
  name: 'store an Arrow table of 64 MiB',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 300 },
  ours: async (context) => (await store(context)).rate,
  limits: { 'hash and write': writeAndHash },
};

/** Where its bytes are fetched. */
export const storedArrow = kept(async (context) => (await store(context)).place);

export const fetchArrow: Line = {
  name: 'fetch an Arrow table of 64 MiB',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 600 },
  ours: async (context) => rateOf(await receive(await arrowServer(context), await storedArrow(context))),
};
