import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createImportReader, importedModules } from './imports.ts';

test('import statements name modules, and parts that may be modules', () => {
  const source = `
import numpy as np, os.path
from sklearn.linear_model import LogisticRegression, Ridge as R  # two
from torch import (
    nn,  # layers
    optim,
)
from . import sibling
if True:
    import polars
text = "import nothing_of_this is named"
# import commented
`;
  assert.deepEqual(importedModules(source), [
    'numpy',
    'os.path',
    'sklearn.linear_model',
    'sklearn.linear_model.LogisticRegression',
    'sklearn.linear_model.Ridge',
    'torch',
    'torch.nn',
    'torch.optim',
    'polars',
    'torch._dynamo',
  ]);
});

test('what a package imports when a part of it is used is named with that part', () => {
  assert.deepEqual(importedModules('optimiser = torch.optim.Adam(net.parameters())'), ['torch._dynamo']);
  assert.deepEqual(importedModules('from torch import nn'), ['torch', 'torch.nn']);
  assert.deepEqual(importedModules('my_torch.optimal(torch.optimised)'), []);
});

test('only cells that were edited are read again, and other languages not at all', () => {
  const read = createImportReader();
  let count = 0;
  const cell = (source: string) => ({
    get source() {
      count += 1;
      return source;
    },
  });
  const [first, second] = [cell('import a'), cell('import b, a')];
  const cells = [first, { language: 'sql', source: 'import c' }, second];
  assert.deepEqual(read(cells), ['a', 'b']);
  assert.deepEqual(read(cells), ['a', 'b']);
  assert.deepEqual(read([...cells, cell('import d')]), ['a', 'b', 'd']);
  assert.equal(count, 3);
});

test('a source that was made to be slow is read quickly', () => {
  for (const source of [
    'from a import (b\n'.repeat(50_000),
    `from a import (${'b, '.repeat(300_000)}`,
    'import '.repeat(100_000),
  ]) {
    const began = performance.now();
    importedModules(source);
    assert.ok(performance.now() - began < 20_000);
  }
});
