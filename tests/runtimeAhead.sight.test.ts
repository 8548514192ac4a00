// What a cell sees of packages that were loaded ahead: what its own imports bring, and not less.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

const cases = [
  {
    name: 'a submodule that is imported from its package is there by its name',
    others: [],
    source: 'from PIL import Image\nimport sys\nprint("PIL.Image" in sys.modules)',
    stdout: 'True\n',
  },
  {
    name: 'what an extension imports is there too',
    others: ['import numpy as np'],
    source: 'import pyarrow\nimport sys\nprint("numpy" in sys.modules)',
    stdout: 'True\n',
  },
  {
    name: 'what other packages bring is not',
    others: ['import pandas'],
    source: 'import numpy\nimport sys\nprint("numpy.random" in sys.modules, "pandas" in sys.modules)',
    stdout: 'False False\n',
  },
];
for (const { name, others, source, stdout } of cases) {
  test(name, async (t) => {
    const interpreter = await notebookEnvironment(t);
    if (interpreter === undefined) return;
    const sources = [...others, source];
    await using cells = startCells(interpreter, { cells: () => sources.map((one) => ({ source: one })) });
    for (const one of sources) await cells.run(one);
    assert.equal((await cells.run(source)).stdout, stdout);
  });
}

test('a notebook without data frames has no pandas loaded ahead, though pyarrow would bring it', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const source = `import numpy
from svc_runtime.shelf import shelf
print([name for name in ('numpy', 'pyarrow', 'pandas') if shelf.has(name)])`;
  await using cells = startCells(interpreter, { cells: () => [{ source }] });
  await cells.run(source);
  assert.equal((await cells.run(source)).stdout, "['numpy', 'pyarrow']\n");
});

test('an array that pyarrow gives is stored as one', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const sources = ['import numpy as np', 'import pyarrow as pa\nvalues = pa.array([1.0, 2.0]).to_numpy()'];
  await using cells = startCells(interpreter, { cells: () => sources.map((source) => ({ source })) });
  for (const source of sources) await cells.run(source);
  const { variables } = await cells.run(sources[1] ?? '', { wanted: ['values'] });
  assert.equal(variables.values?.content_type, 'arrow/ipc');
});

test('a picture is stored by what it holds, not with its package', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const source = 'from PIL import Image\npicture = Image.new("RGB", (2, 2))';
  await using cells = startCells(interpreter, { cells: () => [{ source }] });
  await cells.run(source);
  const { variables } = await cells.run(source, { wanted: ['picture'] });
  assert.ok((variables.picture?.bytes ?? 1e9) < 1000, JSON.stringify(variables.picture));
});

test('reading an object does not count as a change', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const made = await cells.run(
    'import types\nt = types.SimpleNamespace(leaves=[types.SimpleNamespace(n=i, more={"k": [i]}) for i in range(50)])',
    { wanted: ['t'] },
  );
  assert.deepEqual((await cells.run('print(len(t.leaves))', { inputs: { t: made.input('t') } })).mutationWarnings, []);
});

test('a package that calls a module of others like one of its own has it back where its own is out of sight', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-shelf-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.mkdirSync(path.join(folder, 'backend'));
  // As `joblib.externals.loky.backend` does, which puts a function that needs the name into a class of Python.
  fs.writeFileSync(path.join(folder, 'backend', '__init__.py'), 'from json import decoder\n');
  fs.writeFileSync(path.join(folder, 'backend', 'decoder.py'), 'own = True\n');
  fs.writeFileSync(path.join(folder, 'user.py'), 'import backend, backend.decoder\n');
  const script = `
import sys
sys.path[:0] = [${JSON.stringify(path.join(import.meta.dirname, '../python'))}, ${JSON.stringify(folder)}]
from svc_runtime.shelf import shelf
shelf.install()
with shelf.ledger:
    shelf.load('backend')
    shelf.load('user')
import backend
print(backend.decoder.__name__)
import backend.decoder
print(backend.decoder.__name__)`;
  const stdout = execFileSync(interpreter, ['-c', script], { encoding: 'utf8' });
  assert.equal(stdout, 'json.decoder\nbackend.decoder\n');
});
