// A data frame of a million rows from one cell to the next. The limit is the same code in one Python that has pandas loaded.
import path from 'node:path';
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { openBenchSession } from '../notebooks/session.ts';
import { inKernel } from '../programs/kernel.ts';
import { runPython } from '../programs/python.ts';

const produce = `import numpy as np
import pandas as pd
frame = pd.DataFrame(np.random.default_rng(0).random((1_000_000, 4)), columns=list("abcd"))`;
const consume = 'frame["a"].sum()';

const session = kept(async (context: Context) => {
  const opened = await openBenchSession(context, { sources: [produce, consume], dependencies: ['pandas'] });
  await opened.untilStatus(opened.cell(1), 'ready', 'notebook_run_all', {});
  // pandas was seen in use: a zygote that has it loaded takes over in the background.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return opened;
});

const runOf =
  (place: number): Measure =>
  async (context) => {
    const { cell, untilStatus } = await session(context);
    return untilStatus(cell(place), 'ready', 'cell_execute_force');
  };

const inOnePython =
  (prepared: string, measured: string): Measure =>
  async (context) => {
    const { directory } = await session(context);
    const program = `import time, numpy, pandas\n${prepared}\nbegan = time.perf_counter()\n${measured}\nprint((time.perf_counter() - began) * 1000)`;
    return Number(await runPython(context, path.join(directory, '.venv/bin/python'), program));
  };

export const produceFrame: Line = {
  name: 'produce a data frame of 1 M × 4',
  unit: 'ms',
  budget: { atMost: 80 },
  onlyFull: true,
  warmUp: true,
  ours: runOf(0),
  limits: { 'the code in one Python': inOnePython('', produce) },
  peers: { 'Jupyter kernel': inKernel(produce, { times: 5 }) },
};

export const consumeFrame: Line = {
  name: 'consume a data frame of 1 M × 4',
  unit: 'ms',
  budget: { atMost: 25 },
  onlyFull: true,
  warmUp: true,
  ours: runOf(1),
  limits: { 'the code in one Python': inOnePython(produce, consume) },
  peers: { 'Jupyter kernel': inKernel(consume, { prepared: produce, times: 5 }) },
};
