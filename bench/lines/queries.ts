// `duckdb_sql@v1` over a stored table, from the order to the result that is ready. The limit is DuckDB alone on the same bytes,
// in a process that has it loaded.
import { enginePython } from '../../scripts/setup/places.js';
import type { Context, Line } from '../line.ts';
import { runPython } from '../programs/python.ts';
import { arrowServer, arrowTable, storedArrow } from './storeArrow.ts';

const query = (table: string): string =>
  `SELECT abs(a % 1000) AS g, count(*) AS n, sum(b / 1e9) AS b, avg(c) AS c, max(d) AS d FROM ${table} GROUP BY 1 ORDER BY 1`;

let asked = 0;

async function materialize(context: Context): Promise<number> {
  const place = await storedArrow(context);
  const { port } = await arrowServer(context);
  const server = `http://127.0.0.1:${port}`;
  const input = place.replace(/^\/v1\/artifacts\/(.*)\/v\/(\d+)\/data$/, 'svc://artifact/$1@v=$2');
  const sql = `SELECT *, ${++asked} AS asked FROM (${query('input0')})`;
  const began = performance.now();
  const answer = await fetch(`${server}/v1/artifacts/materialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: [input], transform: { executor: 'duckdb_sql@v1', params: { sql } } }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${text}`);
  for (const { build_id } = Object(JSON.parse(text)); ; ) {
    const build = Object(await (await fetch(`${server}/v1/artifacts/builds/${build_id}`)).json());
    if (build.state === 'ready') return performance.now() - began;
    if (build.state === 'failed') throw new Error(`The query failed: ${JSON.stringify(build)}`);
    // Asking costs the server something too.
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

const alone = (file: string): string => `
import statistics, time
import duckdb, pyarrow, pyarrow.ipc
def once():
    began = time.perf_counter()
    frame = pyarrow.ipc.open_stream(pyarrow.memory_map(${JSON.stringify(file)})).read_all()
    duckdb.connect().execute(${JSON.stringify(query('frame'))}).to_arrow_table()
    return (time.perf_counter() - began) * 1000
once()
print(statistics.median(once() for _ in range(3)))
`;

export const queryStored: Line = {
  name: 'duckdb_sql group-by of 2 M stored rows',
  unit: 'ms',
  warmUp: true,
  onlyFull: true,
  budget: { atMost: 500 },
  ours: materialize,
  limits: {
    'DuckDB alone on the file': async (context) =>
      Number(await runPython(context, enginePython, alone(await arrowTable(context)))),
  },
};
