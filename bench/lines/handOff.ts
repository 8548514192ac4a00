// A data frame of a million rows from one cell to the next. The limit is the same code in one Python that has pandas loaded.
import path from 'node:path';
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { medianOf, openBenchSession, pause } from '../notebooks/session.ts';
import { inKernel } from '../programs/kernel.ts';
import { runPython } from '../programs/python.ts';

const produce = `import numpy as np
import pandas as pd
frame = pd.DataFrame(np.random.default_rng(0).random((1_000_000, 4)), columns=list("abcd"))`;
const consume = 'frame["a"].sum()';

/** Memory that was just given back is at hand again; what a machine with others on it takes for fresh memory varies. */
const times = 5;

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
    return medianOf(times, async () => {
      await pause();
      return untilStatus(cell(place), 'ready', 'cell_execute_force');
    });
  };

const python = async (context: Context, program: string): Promise<number> => {
  const { directory } = await session(context);
  return Number(await runPython(context, path.join(directory, '.venv/bin/python'), program));
};

const inOnePython =
  (prepared: string, measured: string): Measure =>
  (context) =>
    python(
      context,
      `
import statistics, time, numpy, pandas
${prepared}
def once():
    time.sleep(0.03)
    began = time.perf_counter()
    exec(${JSON.stringify(measured)}, globals())
    return (time.perf_counter() - began) * 1000
print(statistics.median(once() for _ in range(${times})))`,
    );

/** The least that a cell of its own process can take whose result is safe on the disk under its hash afterwards. */
const forkedAndStored: Measure = (context) =>
  python(
    context,
    `
import hashlib, os, statistics, tempfile, threading, time, numpy, pandas
def store(frame, path):
    digest = hashlib.sha256()
    columns = [frame[name].to_numpy() for name in frame]
    hashing = threading.Thread(target=lambda: [digest.update(column) for column in columns])
    hashing.start()
    with open(path, "wb", buffering=0) as file:
        for column in columns:
            file.write(column)
        os.fsync(file.fileno())
    hashing.join()
def once(path):
    time.sleep(0.03)
    reading, writing = os.pipe()
    began = time.perf_counter()
    child = os.fork()
    if child == 0:
        exec(${JSON.stringify(produce)}, globals())
        store(frame, path)
        os.write(writing, b"stored")
        os._exit(0)
    os.read(reading, 6)
    took = (time.perf_counter() - began) * 1000
    os.waitpid(child, 0)
    return took
with tempfile.TemporaryDirectory() as folder:
    print(statistics.median(once(os.path.join(folder, "frame")) for _ in range(${times})))`,
  );

export const produceFrame: Line = {
  name: 'produce a data frame of 1 M × 4',
  unit: 'ms',
  budget: { atMost: 80 },
  onlyFull: true,
  warmUp: true,
  ours: runOf(0),
  limits: { 'a bare fork that stores it': forkedAndStored, 'the code in one Python': inOnePython('', produce) },
  peers: { 'Jupyter kernel': inKernel(produce, { times }) },
};

export const consumeFrame: Line = {
  name: 'consume a data frame of 1 M × 4',
  unit: 'ms',
  budget: { atMost: 25 },
  onlyFull: true,
  warmUp: true,
  ours: runOf(1),
  limits: { 'the code in one Python': inOnePython(produce, consume) },
  peers: { 'Jupyter kernel': inKernel(consume, { prepared: produce, times }) },
};
