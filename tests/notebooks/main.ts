// `npm run test:notebooks`: how notebooks written for Jupyter fare here. Each is run by Jupyter and, imported, by us, with the same
// packages; cells, outputs and times stand side by side. Options: --folder DIR (the .ipynb files there instead of our own, with
// the files beside them), --environment DIR (a Python environment with ipykernel and all that they import, instead of ours), --only
// NAME, --json FILE, --at-once N, --back (what is exported from here is run in Jupyter too), --marimo PYTHON (an interpreter with
// marimo and the packages: how many cells are green after its converter stands beside).
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { corpusRequirements } from '../kit/notebookEnvironment.ts';
import { pythonEnvironment } from '../kit/pythonEnvironment.ts';
import { type Checked, check } from './check.ts';
import { copyFilesBeside, ownCorpus, readCorpus } from './corpus.ts';
import { differenceLines, reportOf, totalsOf } from './report.ts';
import { openHere } from './runHere.ts';
import { openThere } from './runThere.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    environment: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string' },
    marimo: { type: 'string' },
    back: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '1' },
  },
});
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const corpus = path.resolve(values.folder ?? ownCorpus);
const notebooks = await readCorpus(corpus, values.only);
if (notebooks.length === 0) {
  say(`No notebook${values.only === undefined ? '' : ` with '${values.only}' in its name`} in ${corpus}.`);
  process.exit(2);
}
const environment = values.environment ?? path.dirname(await pythonEnvironment('test-corpus', corpusRequirements, say));
const place = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-corpus-'));
try {
  const results = await checkAll();
  process.stdout.write(`${reportOf(results)}\n`);
  const totals = totalsOf(results);
  if (values.json !== undefined) await fs.writeFile(values.json, `${JSON.stringify({ totals, results }, null, 1)}\n`);
  if (corpus === ownCorpus && !totals.isEnough) process.exitCode = 1;
} finally {
  await fs.rm(place, { recursive: true, force: true, maxRetries: 5 });
}

async function checkAll(): Promise<Checked[]> {
  let files: string | undefined;
  if (corpus !== ownCorpus) {
    files = path.join(place, 'files');
    await copyFilesBeside(corpus, files);
  }
  const storage = path.join(place, 'notebooks');
  await fs.mkdir(storage);
  await using here = await openHere(storage, environment);
  await using there = await openThere(environment);
  const waiting = [...notebooks];
  const results: Checked[] = [];
  async function work(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const result = await check(one, files, { there, here, marimo: values.marimo, goesBack: values.back });
      results.push(result);
      const { greenHere, greenThere, same, outputs } = result;
      say(`${one.name}: ${greenHere} of ${greenThere} cells green, ${same} of ${outputs} outputs the same`);
      for (const line of differenceLines(result)) say(`  ${line}`);
    }
  }
  await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
  return results.sort((one, other) => (one.name < other.name ? -1 : 1));
}
