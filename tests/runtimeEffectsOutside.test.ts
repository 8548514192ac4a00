// What a cell touches is seen also where nobody says a word: files outside its folder that a library opens, links, folders that a
// library lists, files of which it is only asked whether they are there, and clocks and chance in functions of other cells.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { InputFile } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

const rows = (value: number): string => `a\n${value}\n`;

describe('what a cell touched', () => {
  let cells: Cells | undefined;
  let outside: string;
  let work: string;

  before(async (context) => {
    outside = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-outside-'));
    const interpreter = await notebookEnvironment(context as TestContext);
    if (interpreter === undefined) return;
    cells = startCells(interpreter);
    work = path.join(cells.folder, 'work');
    fs.mkdirSync(path.join(outside, 'lake'));
    for (const name of ['lake/a.csv', 'lake/b.csv', 'c.csv']) fs.writeFileSync(path.join(outside, name), rows(1));
    fs.mkdirSync(path.join(work, 'parts'));
    for (const name of ['own.csv', 'parts/one.csv']) fs.writeFileSync(path.join(work, name), rows(1));
    fs.symlinkSync(path.join(outside, 'lake'), path.join(work, 'linked'));
    fs.symlinkSync(path.join(outside, 'c.csv'), path.join(work, 'link.csv'));
  });
  after(async () => {
    await cells?.[Symbol.asyncDispose]();
    fs.rmSync(outside, { recursive: true });
  });

  const shown = (file: string): string => {
    const inside = path.relative(work, file);
    return inside.startsWith('..') ? `outside/${path.relative(outside, file)}` : inside;
  };

  async function touched(source: string, inputs: Readonly<Record<string, InputFile>> = {}) {
    assert.ok(cells);
    const { error, effects } = await cells.run(source, { inputs });
    assert.equal(error, null, source);
    return {
      read: (effects?.read ?? []).map((file) => shown(file.path)),
      written: (effects?.written ?? []).map(shown),
      listed: (effects?.listed ?? []).map((file) => shown(file.path)),
      clock: effects?.clock,
      entropy: effects?.entropy,
    };
  }
  const nothing = { read: [], written: [], listed: [], clock: false, entropy: false };

  /** A value of a cell above. */
  async function made(name: string, source: string): Promise<Readonly<Record<string, InputFile>>> {
    assert.ok(cells);
    const cell = await cells.run(source, { wanted: [name] });
    return { [name]: cell.input(name) };
  }

  it('holds files outside its folder that a library opened, however the cell came by their names', async () => {
    const { read: _, ...rest } = nothing;
    const lake = `import polars as pl\nrows = pl.read_csv("${outside}/lake/a.csv")`;
    assert.deepEqual(await touched(lake), { ...rest, read: ['linked/a.csv'] }, 'a link of the folder leads there');
    assert.deepEqual(await touched(`import polars as pl\nrows = pl.read_csv("${outside}/c.csv")`), {
      ...rest,
      read: ['link.csv', 'outside/c.csv'],
    });
    fs.rmSync(path.join(work, 'link.csv'));
    fs.rmSync(path.join(work, 'linked'));
    const base = await made('base', `base = "${outside}/lake"`);
    const config = await made('config', `config = {"files": ["${outside}/lake/b.csv"]}`);
    const lazy = await made('lazy', `import polars as pl\nlazy = pl.scan_csv("${outside}/lake/a.csv")`);
    for (const [source, inputs, read] of [
      ['import polars as pl\nrows = pl.read_csv(f"{base}/a.csv")', base, ['outside/lake/a.csv']],
      ['import polars as pl\nrows = pl.read_csv(config["files"][0])', config, ['outside/lake/b.csv']],
      ['rows = lazy.collect()', lazy, ['outside/lake/a.csv']],
      [
        `from pathlib import Path\nimport polars as pl\nrows = pl.read_csv(Path("${outside}") / "lake" / "b.csv")`,
        {},
        ['outside/lake/b.csv'],
      ],
    ] as const)
      assert.deepEqual(await touched(source, inputs), { ...rest, read }, source);
    fs.symlinkSync(path.join(outside, 'lake'), path.join(work, 'linked'));
    fs.symlinkSync(path.join(outside, 'c.csv'), path.join(work, 'link.csv'));
  });

  it('holds what lies behind links of its folder, for a library too', async () => {
    for (const [name, read] of [
      ['linked/b.csv', ['linked/b.csv']],
      ['link.csv', ['link.csv']],
    ] as const)
      assert.deepEqual(await touched(`import polars as pl\nrows = pl.read_csv("${name}")`), { ...nothing, read }, name);
  });

  it('holds folders that a library listed: a part that comes later belongs to the table', async () => {
    for (const [source, listed] of [
      ['import pyarrow.dataset as ds\nrows = ds.dataset("parts", format="csv").to_table()', ['parts']],
      ['import polars as pl\nrows = pl.read_csv("parts/*.csv")', ['parts']],
    ] as const)
      assert.deepEqual(await touched(source), { ...nothing, read: ['parts/one.csv'], listed }, source);
    const here = await touched('import polars as pl\nrows = pl.read_csv("own*.csv")');
    assert.deepEqual(here, { ...nothing, read: ['own.csv'], listed: [''] });
  });

  it('holds files of which the cell asked whether they are there; libraries ask for reasons of their own', async () => {
    for (const [source, read] of [
      ['import os\nhere = os.path.exists("late.csv")', ['late.csv']],
      ['from pathlib import Path\nhere = Path("late.csv").is_file()', ['late.csv']],
      ['import os\nsize = os.path.getsize("own.csv")', ['own.csv']],
      ['import os\nos.makedirs("parts", exist_ok=True)\nhere = os.path.isdir("parts")', []],
      ['import shutil\nfound = shutil.which("no-such-program")', []],
    ] as const)
      assert.deepEqual(
        await touched(source),
        { ...nothing, read, written: source.includes('makedirs') ? ['parts'] : [] },
        source,
      );
    const source = 'import os\nif not os.path.exists("kept.txt"):\n    open("kept.txt", "w").write("1")';
    assert.deepEqual(await touched(source), { ...nothing, written: ['kept.txt'] }, 'what it makes itself is its own');
  });

  it('tells reading from writing where a file is copied, or opened for both', async () => {
    for (const [source, read, written] of [
      ['import shutil\nshutil.copy("own.csv", "copy.csv")', ['own.csv'], ['copy.csv']],
      ['with open("own.csv", "r+") as file:\n    text = file.read()', ['own.csv'], []],
      ['with open("copy.csv", "r+") as file:\n    file.write("b")', [], ['copy.csv']],
      [
        'with open("copy.csv") as file:\n    text = file.read()\nopen("copy.csv", "w").write(text)',
        ['copy.csv'],
        ['copy.csv'],
      ],
    ] as const)
      assert.deepEqual(await touched(source), { ...nothing, read, written }, source);
  });

  it('holds clocks and chance that functions of other cells and modules of the folder asked for', async () => {
    const declared = [
      'import random, time, uuid',
      'from datetime import datetime',
      'import numpy as np',
      'def now(): return time.time()',
      'def stamp(): return str(datetime.now())',
      'def noise(): return float(np.random.rand())',
      'def fixed(): return float(np.random.default_rng(3).random())',
    ].join('\n');
    fs.writeFileSync(path.join(work, 'helpers.py'), 'from datetime import date\ndef day(): return str(date.today())\n');
    assert.ok(cells);
    const slice = {
      moduleName: 'declared_above',
      kind: 'function',
      source: declared,
      provenanceHash: null,
      injected: {},
    } as const;
    for (const [name, expected] of [
      ['now', { clock: true }],
      ['stamp', { clock: true }],
      ['noise', { entropy: true }],
      ['fixed', {}],
    ] as const) {
      const cell = await cells.run(declared, { wanted: [name], moduleSlices: { [name]: slice } });
      assert.deepEqual(
        await touched(`value = ${name}()`, { [name]: cell.input(name) }),
        { ...nothing, ...expected },
        name,
      );
    }
    for (const [source, expected] of [
      ['import helpers\nvalue = helpers.day()', { read: ['helpers.py'], clock: true }],
      ['import pandas as pd\nvalue = str(pd.Timestamp("now"))', { clock: true }],
      ['import time\nvalue = time.strftime("%H:%M")', { clock: true }],
      ['import time\nvalue = time.strftime("%H:%M", time.gmtime(0))', {}],
      ['import numpy as np\ndraw = np.random.permutation\nvalue = draw(5).tolist()', { entropy: true }],
    ] as const)
      assert.deepEqual(await touched(source), { ...nothing, ...expected }, source);
  });
});
