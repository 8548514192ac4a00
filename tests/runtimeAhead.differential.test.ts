// Whether modules were loaded ahead or by the cell itself, everything that comes of a cell is the same: the bytes that are
// stored, what is shown and printed, errors and warnings. Examples, and chains of cells that use libraries and look at the
// state of their process. SVC_BENCH_LIBRARIES names an environment with large libraries, for their chains too.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { type Cells, startCells } from './kit/cells.ts';
import { type Chain, namesOf, runChain, withoutBytes } from './kit/chains.ts';
import { largeChains, smallChains } from './kit/libraryChains.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';
import { stateSources } from './kit/stateCells.ts';
import { until } from './kit/until.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-differential-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const learnedSchema = z.object({
  stamp: z.string(),
  modules: z.array(z.object({ name: z.string(), verdict: z.string() })),
});

/** What was learned of an environment; of one whose packages no cell has imported, nothing. */
function readLearned(file: string): z.infer<typeof learnedSchema> {
  if (!fs.existsSync(file)) return { stamp: '', modules: [] };
  return learnedSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}

/** A runtime that leaves every package to the cells that import it, each in an interpreter of its own. */
function startAlone(interpreter: string, learned: string): Cells {
  const { stamp, modules } = readLearned(learned);
  const roots = new Set([...modules.map(({ name }) => name.split('.', 1)[0] ?? name), 'pyarrow', 'cloudpickle']);
  const never = [...roots].map((name) => ({ name, with: [name], verdict: 'never', why: 'the test' }));
  const modulesFile = `${learned}.none`;
  fs.writeFileSync(modulesFile, JSON.stringify({ version: 1, stamp, modules: never }));
  return startCells(interpreter, { cells: () => [], modulesFile, warmPoolSize: 0 });
}

async function compare(interpreter: string, chain: Chain): Promise<void> {
  const names = await namesOf(chain.sources);
  const learned = path.join(fs.mkdtempSync(path.join(folder, 'chain-')), 'learned.json');
  const ahead: string[][] = [];
  {
    const cells = () => chain.sources.map((source) => ({ source }));
    await using running = startCells(interpreter, { cells, modulesFile: learned });
    // The first time much is learned; the second time all of it is there.
    for (let time = 0; time < 2; time++) ahead.push(await runChain(running, chain, names));
    // What a zygote has loaded is told first and written down then.
    const hasLoaded = () => running.log.some((line) => /, loaded (?!nothing)/.test(line));
    const isToFork = () => readLearned(learned).modules.some(({ verdict }) => verdict === 'fork');
    await until(() => hasLoaded() === isToFork(), 'what was loaded to be written down');
  }
  await using alone = startAlone(interpreter, learned);
  const reference = await runChain(alone, chain, names);
  if (ahead.every((told) => isDeepStrictEqual(told, reference))) return;
  const again = await runChain(alone, chain, names);
  for (const [place, source] of chain.sources.entries()) {
    // A value of which no two pickles are the same, such as a class.
    const told = reference[place] === again[place] ? (text = '') => text : (text = '') => withoutBytes(text);
    for (const each of ahead)
      assert.equal(told(each[place]), told(reference[place]), `${chain.name}, cell ${place}:\n${source}`);
  }
}

for (const chain of [...smallChains, { name: 'the state of the process', sources: stateSources }]) {
  test(`${chain.name}: ahead or not, the same`, async (t) => {
    const interpreter = await notebookEnvironment(t);
    if (interpreter !== undefined) await compare(interpreter, chain);
  });
}

const cellsSchema = z.object({ cells: z.array(z.object({ file: z.string(), language: z.string() })) });
const gallery = path.join(import.meta.dirname, '../examples');

/** What cells of other languages, controls and annotations give the Python cells of an example. */
const standIns: Readonly<Record<string, string>> = {
  controls: 'years, monthly, rate, currency = 10, 100.0, 3.0, "EUR"',
  duckdb_files: 'import pyarrow as pa\nby_city = pa.table({"city": ["Bern", "Oslo"], "minutes": [3.5, 4.0]})',
  prompts: 'triage = {"mood": "mixed", "late": True}',
  r_regression: 'slope = 2.01',
  sql_orders: 'import pyarrow as pa\nlarge = pa.table({"customer": ["ada"], "amount": [12.5]})',
  everything:
    'import pathlib, pyarrow as pa\nrates = pathlib.Path("rates.csv")\nrates.write_text("EUR,1\\nUSD,0.9")\nsums = pa.table({"currency": ["EUR"], "amount": [160.0]})\ndiscount, spread = 5, 3.5',
  folders: 'import pathlib\npages = inbox = pathlib.Path("pages")\npages.mkdir(exist_ok=True)',
};

function example(name: string): Chain {
  const { cells } = cellsSchema.parse(parse(fs.readFileSync(path.join(gallery, name, 'notebook.toml'), 'utf8')));
  const own = cells
    .filter(({ language }) => language === 'python')
    .map(({ file }) => fs.readFileSync(path.join(gallery, name, 'cells', file), 'utf8'));
  return { name: `the example ${name}`, sources: [standIns[name], ...own].filter((source) => source !== undefined) };
}

for (const entry of fs.readdirSync(gallery, { withFileTypes: true }).filter((one) => one.isDirectory())) {
  const chain = example(entry.name);
  test(`${chain.name}: ahead or not, the same`, async (t) => {
    const interpreter = await notebookEnvironment(t);
    if (interpreter !== undefined) await compare(interpreter, chain);
  });
}

test('random numbers begin anywhere in every cell, ahead or not', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const source =
    'import random\nimport numpy as np\nprint(random.random(), np.random.rand(), np.random.default_rng().random())';
  await using cells = startCells(interpreter, { cells: () => [{ source }] });
  const drawn: string[] = [];
  for (let time = 0; time < 4; time++) drawn.push(...(await cells.run(source)).stdout.trim().split(' '));
  assert.equal(new Set(drawn).size, 12);
});

const libraries = process.env.SVC_BENCH_LIBRARIES;
for (const chain of libraries === undefined ? [] : largeChains) {
  test(`${chain.name}: ahead or not, the same`, () => compare(path.join(libraries ?? '', 'bin/python'), chain));
}
