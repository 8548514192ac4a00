// What a cell touched is seen by its process, whoever opened it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Effects, noEffects } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

async function started(t: TestContext): Promise<Cells | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  const cells = startCells(interpreter);
  t.after(() => cells[Symbol.asyncDispose]());
  return cells;
}

/** With paths as they are seen from the folder of the cell. */
async function effectsOf(cells: Cells, source: string): Promise<Effects | undefined> {
  const { error, effects } = await cells.run(source);
  assert.equal(error, null);
  const from = (file: string): string => path.relative(path.join(cells.folder, 'work'), file);
  return (
    effects && {
      ...effects,
      read: effects.read.map(({ path: file, identity }) => ({ path: from(file), identity })),
      written: effects.written.map(from),
      listed: effects.listed.map(({ path: file, identity }) => ({ path: from(file), identity })),
    }
  );
}

const identityOf = (file: string) => {
  const { size, mtimeNs, ino } = fs.statSync(file, { bigint: true });
  return { size: Number(size), mtimeNs: `${mtimeNs}`, ino: `${ino}` };
};

test('files that a cell reads, writes and lists', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const prices = path.join(cells.folder, 'work/prices.csv');
  fs.writeFileSync(prices, 'a,b\n1,2\n');
  assert.deepEqual(await effectsOf(cells, 'import os\ntext = open("prices.csv").read()\nnames = os.listdir()'), {
    ...noEffects,
    read: [{ path: 'prices.csv', identity: identityOf(prices) }],
    listed: [{ path: '', identity: identityOf(path.join(cells.folder, 'work')) }],
  });
  assert.deepEqual(
    await effectsOf(
      cells,
      'from pathlib import Path\nPath("own.txt").write_text("x")\nback = Path("own.txt").read_text()',
    ),
    { ...noEffects, written: ['own.txt'] },
    'what it has written itself is no input',
  );
  assert.deepEqual(
    await effectsOf(cells, 'try:\n    open("missing.csv")\nexcept OSError:\n    rows = 0'),
    { ...noEffects, read: [{ path: 'missing.csv', identity: null }] },
    'a file that is not there may come',
  );
});

test('a module of the own folder is a file that was read, also where Python has kept it', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const helpers = path.join(cells.folder, 'work/helpers.py');
  fs.writeFileSync(helpers, 'rate = 2\n');
  for (const _ of ['compiled', 'kept'])
    assert.deepEqual(await effectsOf(cells, 'import helpers\nrate = helpers.rate'), {
      ...noEffects,
      read: [{ path: 'helpers.py', identity: identityOf(helpers) }],
    });
});

test('files that libraries open by themselves', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  fs.writeFileSync(path.join(cells.folder, 'work/prices.csv'), 'a,b\n1,2\n');
  for (const source of [
    'import pyarrow.csv\ntable = pyarrow.csv.read_csv("prices.csv")',
    'import pandas as pd\ntable = pd.read_csv("prices.csv")',
    'import duckdb\ntable = duckdb.sql("SELECT * FROM \'prices.csv\'").fetchall()',
    'import polars as pl\ntable = pl.read_csv("prices.csv")',
  ]) {
    const { error } = await cells.run(source);
    if (error?.error_type === 'ModuleNotFoundError') continue;
    const effects = await effectsOf(cells, source);
    assert.deepEqual(
      effects?.read.map((file) => file.path),
      ['prices.csv'],
      source,
    );
  }
});

test('a database of SQLite is read until it is written to; one in memory is no file', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const made =
    'import sqlite3\nwith sqlite3.connect("shop.db") as shop:\n    shop.execute("CREATE TABLE t (n)")\nshop.close()';
  assert.deepEqual((await effectsOf(cells, made))?.written.includes('shop.db'), true);
  const read =
    'import sqlite3\nshop = sqlite3.connect("shop.db")\nrows = shop.execute("SELECT * FROM t").fetchall()\ndel shop';
  const effects = await effectsOf(cells, read);
  assert.deepEqual([effects?.read.map((file) => file.path), effects?.written], [['shop.db'], []]);
  assert.deepEqual(await effectsOf(cells, 'import sqlite3\nsqlite3.connect(":memory:").close()'), noEffects);
});

test('a folder that could not be entered is not where relative files lie', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  fs.writeFileSync(path.join(cells.folder, 'work/prices.csv'), '1');
  const source =
    'import os\ntry:\n    os.chdir("nowhere")\nexcept OSError:\n    pass\ntext = open("prices.csv").read()';
  assert.deepEqual(
    (await effectsOf(cells, source))?.read.map((file) => file.path),
    ['prices.csv'],
  );
});

test('hosts, programs, variables, the clock and chance', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const server = http.createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  for (const [source, expected] of [
    [
      `import urllib.request\ntext = urllib.request.urlopen("http://127.0.0.1:${port}/?key=secret").read()`,
      { hosts: ['127.0.0.1'] },
    ],
    ['import subprocess\nsubprocess.run(["echo", "secret"], check=True)', { programs: ['echo'] }],
    ['import os\nhome = os.environ.get("HOME"), os.getenv("NO_SUCH_THING")', { variables: ['HOME', 'NO_SUCH_THING'] }],
    ['import time\nnow = time.time()', { clock: true }],
    ['from datetime import date\nnow = str(date.today())', { clock: true }],
    ['import random\nx = random.random()', { entropy: true }],
    ['import random\nrandom.seed(1)\nx = random.random()', {}],
    ['import numpy as np\nx = float(np.random.rand())', { entropy: true }],
    ['import numpy as np\nx = float(np.random.default_rng().random())', { entropy: true }],
    ['import numpy as np\nx = float(np.random.default_rng(1).random())', {}],
    ['import numpy as np\nx = float(np.random.RandomState(1).rand())', {}],
    ['import numpy as np\nx = float(np.random.RandomState().rand())', { entropy: true }],
    ['import numpy as np\nnp.random.seed(1)\nx = float(np.random.default_rng().random())', { entropy: true }],
    ['import numpy as np\nx = np.random.RandomState(1).rand() + np.random.default_rng().random()', { entropy: true }],
    ['import pandas as pd\nrows = pd.Series(range(9)).sample(3, random_state=1).tolist()', {}],
    ['import pandas as pd\nrows = pd.Series(range(9)).sample(3).tolist()', { entropy: true }],
    ['import uuid\nx = str(uuid.uuid4())', { entropy: true }],
    ['import uuid\nx = str(uuid.uuid1())', { clock: true }],
    ['import time\nnow = time.clock_gettime(time.CLOCK_REALTIME)', { clock: true }],
    ['import time\nnow = time.monotonic_ns()', { clock: true }],
    ['import os\nnow = os.times()', { clock: true }],
    ['import random\nx = random.Random().random()', { entropy: true }],
    ['import random\nx = random.Random(5).random()', {}],
    ['import random\nrandom.seed(None)\nx = random.random()', { entropy: true }],
    ['import os\nx = os.getrandom(4)', { entropy: true }],
    ['with open("/dev/urandom", "rb") as file:\n    x = file.read(4)', { entropy: true }],
    ['import socket\nx = socket.gethostbyname("localhost")', { hosts: ['localhost'] }],
    [
      'import socket\nwith socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:\n    s.sendto(b"x", ("127.0.0.1", 9))',
      { hosts: ['127.0.0.1'] },
    ],
    [
      'import multiprocessing\ndef work(_):\n    return 1\nwith multiprocessing.get_context("fork").Pool(1) as pool:\n    x = pool.map(work, [1])',
      { programs: ['python'] },
    ],
    ['import pandas as pd\nframe = pd.DataFrame({"a": [1]})', {}],
  ] as const)
    assert.deepEqual(await effectsOf(cells, source), { ...noEffects, ...expected }, source);
});

test('what lies where programs keep their own is an input when the cell itself opens it, or names it', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const place = fs.mkdtempSync(path.join(os.homedir(), '.svc-effects-'));
  t.after(() => fs.rmSync(place, { recursive: true }));
  const file = path.join(place, 'prices.csv');
  fs.writeFileSync(file, 'a\n1\n');
  const name = JSON.stringify(file);
  for (const source of [
    `text = open(${name}).read()`,
    `from pathlib import Path\ntext = Path(${name}).read_text()`,
    `from pathlib import Path\ntext = (Path.home() / "${path.basename(place)}" / "prices.csv").read_text()`,
    `import pandas as pd\nrows = pd.read_csv(${name})["a"].tolist()`,
  ]) {
    const { error, effects } = await cells.run(source);
    assert.deepEqual([error, effects?.read.map((one) => one.path)], [null, [file]], source);
  }
  assert.deepEqual(
    (await effectsOf(cells, 'text = open("/proc/uptime").read()'))?.unwatched,
    1,
    'what the kernel makes up cannot be watched',
  );
});

test('what packages of the environment read of themselves is no input, though it lies in the folder', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-own-venv-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const made = path.join(folder, '.venv');
  execFileSync(interpreter, ['-m', 'venv', '--without-pip', '--system-site-packages', made]);
  const packages = path.join(made, 'lib', fs.readdirSync(path.join(made, 'lib'))[0] ?? '', 'site-packages');
  fs.writeFileSync(path.join(packages, 'colours.py'), 'def names():\n    return open(__file__).read()\n');
  fs.writeFileSync(path.join(folder, 'own.txt'), 'x');
  await using cells = startCells(path.join(made, 'bin/python'));
  const source = 'import colours\ntext = colours.names()\nown = open("own.txt").read()';
  const { error, effects } = await cells.run(source, { workDir: folder, notebookDir: folder });
  assert.deepEqual(
    [error, effects?.read.map((file) => path.relative(folder, file.path))],
    [null, ['own.txt']],
    'the environment is told by its lock',
  );
});

test('plain code is not observed, and tells of nothing', async (t) => {
  const cells = await started(t);
  if (cells) assert.deepEqual(await effectsOf(cells, 'x = 1 + 1'), noEffects);
});

test('of ten thousand files a thousand are told and the rest counted; what is written after them is told still', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const source = [
    'import os',
    'os.makedirs("many", exist_ok=True)',
    'for i in range(10_000):',
    '    open(f"many/{i:05}.csv", "w").close()',
  ].join('\n');
  await cells.run(source);
  const read = 'for i in range(10_000):\n    open(f"many/{i:05}.csv").close()\nopen("late.txt", "w").close()';
  const effects = await effectsOf(cells, read);
  assert.deepEqual(
    [effects?.read.length, effects?.read[999]?.path, effects?.unwatched, effects?.written],
    [1000, 'many/00999.csv', 9000, ['late.txt']],
  );
});

test('files that are opened by turns, again and again, are told once, whatever the folder was then', async (t) => {
  const cells = await started(t);
  if (!cells) return;
  const work = path.join(cells.folder, 'work');
  fs.mkdirSync(path.join(work, 'sub'));
  for (const name of ['a.csv', 'a-much-longer-name.csv', 'sub/a.csv']) fs.writeFileSync(path.join(work, name), '1');
  const source = [
    'import os',
    'for _ in range(5000):',
    '    open("a.csv").close()',
    '    open("a-much-longer-name.csv").close()',
    'os.chdir("sub")',
    'open("a.csv").close()',
  ].join('\n');
  assert.deepEqual(
    (await effectsOf(cells, source))?.read.map((file) => file.path),
    ['a-much-longer-name.csv', 'a.csv', 'sub/a.csv'],
  );
});
