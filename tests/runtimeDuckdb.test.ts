// DuckDB in Python cells: tables are variables that a statement names, relations go from cell to cell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enginePython } from '../scripts/setup/places.js';
import { startCells } from './kit/cells.ts';

test('a statement finds an input that only it names, and a relation is one in the next cell too', async () => {
  await using cells = startCells(enginePython);
  const first = await cells.run('import pyarrow as pa\nsales = pa.table({"k": ["a", "b", "a"], "v": [1, 2, 3]})', {
    wanted: ['sales'],
  });
  const second = await cells.run('import duckdb\nlarge = duckdb.sql("SELECT k, v FROM sales WHERE v > 1 ORDER BY v")', {
    inputs: { sales: first.input('sales') },
    wanted: ['large'],
  });
  assert.deepEqual([second.error, second.variables.large?.columns], [null, ['k', 'v']]);
  const third = await cells.run('large.filter("v > 2").fetchall(), large.columns', {
    inputs: { large: second.input('large') },
  });
  assert.deepEqual(
    [third.error, third.displays.map(({ preview, text }) => text ?? preview)],
    [null, ["([('a', 3)], ['k', 'v'])"]],
  );
});
