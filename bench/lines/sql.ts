// A query of DuckDB over a data frame that another cell made. The limit is DuckDB alone on the very file that the cell reads,
// in a process that has it loaded.
import fs from 'node:fs';
import path from 'node:path';
import { enginePython } from '../../scripts/setup/places.js';
import { type Context, kept, type Line } from '../line.ts';
import { openBenchSession } from '../notebooks/session.ts';
import { runPython } from '../programs/python.ts';

const produce = `import numpy as np
import pandas as pd
made = np.random.default_rng(0)
frame = pd.DataFrame(made.random((1_000_000, 3)), columns=list("abc"))
frame["word"] = made.integers(0, 100_000, 1_000_000).astype(str)`;

const query = (table: string): string =>
  `SELECT word, count(*) AS n, sum(a) AS a, max(b) AS b, quantile_cont(c, 0.9) AS c FROM ${table} GROUP BY word ORDER BY n DESC, word LIMIT 100`;

const session = kept(async (context: Context) => {
  const opened = await openBenchSession(context, {
    sources: [produce, { language: 'sql', source: `# @sql connection=memory\n${query(':frame')}` }],
    dependencies: ['pandas', 'pyarrow'],
    tables: '\n[connections.memory]\ndriver = "duckdb"\npath = ":memory:"\n',
  });
  await opened.untilStatus(opened.cell(1), 'ready', 'notebook_run_all', {});
  return opened;
});

/** The largest file of the store: the frame. */
function storedFrame(directory: string): string {
  const root = path.join(directory, '.svc/artifacts');
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name));
  const sized = files.map((file) => ({ file, size: fs.statSync(file).isFile() ? fs.statSync(file).size : 0 }));
  return sized.sort((a, b) => b.size - a.size)[0]?.file ?? '';
}

const alone = (file: string): string => `
import statistics, time
import duckdb, pyarrow, pyarrow.ipc
def once():
    began = time.perf_counter()
    with pyarrow.memory_map(${JSON.stringify(file)}) as source:
        frame = pyarrow.ipc.open_stream(source).read_all()
    duckdb.connect().execute(${JSON.stringify(query('frame'))}).to_arrow_table()
    return (time.perf_counter() - began) * 1000
once()
print(statistics.median(once() for _ in range(5)))
`;

export const sqlOverFrame: Line = {
  name: 'SQL over a data frame of 1 M × 4',
  unit: 'ms',
  onlyFull: true,
  warmUp: true,
  ours: async (context) => {
    const { cell, untilStatus } = await session(context);
    return untilStatus(cell(1), 'ready', 'cell_execute_force');
  },
  limits: {
    'DuckDB alone on the file': async (context) =>
      Number(await runPython(context, enginePython, alone(storedFrame((await session(context)).directory)))),
  },
};
