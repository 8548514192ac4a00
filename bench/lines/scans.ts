// Scans as clients meet them: a table of many rows with nothing cached, with its row groups cached, filtered; one of many
// columns, one of texts. What pyarrow and a plain pipe need for the same work alone is the limit.
import { enginePython } from '../../scripts/setup/places.js';
import { type Context, kept, type Line } from '../line.ts';
import { runPython } from '../programs/python.ts';
import { filePipe } from '../tables/filePipe.ts';
import { cold, isStored, order, type Received, rate, receive, server } from '../tables/reading.ts';
import { folder, rows, warehouse } from '../tables/warehouse.ts';

async function whole(context: Context): Promise<Received> {
  const received = await cold(context, await server(context));
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
  ours: async (context) => rate(await whole(context)),
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
  ours: async (context) => (await whole(context)).firstMs,
};

const cachedTen = kept(async (context) => {
  await whole(context);
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
    const { stream_url, artifact_uri } = await order(context, program, 'ten', {}, { refresh: true });
    const received = await receive(program, stream_url);
    await isStored(program, artifact_uri);
    return rate(received);
  },
  limits: { 'plain Node file pipe': async (context) => rate(await receive(await filePipe(context), '/')) },
};

export const scanShared: Line = {
  name: 'scan of 10 M × 8 by 8 clients at once, row groups cached',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 1000 },
  async ours(context) {
    const program = await cachedTen(context);
    const { stream_url, artifact_uri } = await order(context, program, 'ten', {}, { refresh: true });
    const began = performance.now();
    const all = await Promise.all(Array.from({ length: 8 }, () => receive(program, stream_url)));
    const totalMs = performance.now() - began;
    await isStored(program, artifact_uri);
    return rate({ firstMs: 0, totalMs, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) });
  },
};

export const scanStored: Line = {
  name: 'scan of 10 M × 8, result stored',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 1000 },
  async ours(context) {
    const program = await cachedTen(context);
    const { hit, stream_url } = await order(context, program, 'ten', {});
    if (!hit) throw new Error('The result was not found.');
    return rate(await receive(program, stream_url));
  },
};

export const scanTexts: Line = {
  name: 'scan of 2 M × 4 texts, nothing cached',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  ours: async (context) => rate(await cold(context, await server(context), 'strings')),
};

let column = 0;

export const scanWide: Line = {
  name: 'scan of 3 of 500 columns, nothing cached',
  unit: 'ms',
  warmUp: true,
  onlyFull: true,
  async ours(context) {
    column += 3;
    const columns = [column, column + 1, column + 2].map((place) => `c${place}`);
    return (await cold(context, await server(context), 'wide', columns)).totalMs;
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
