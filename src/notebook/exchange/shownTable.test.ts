import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownTable } from './shownTable.ts';

const display = (columns: string[], preview: unknown[][], more: object = {}) => ({
  content_type: 'arrow/ipc',
  columns,
  preview,
  rows: preview.length,
  ...more,
});

test('an index stands in front, without the name that only Arrow has for it', () => {
  const series = display(
    ['s', '__index_level_0__'],
    [
      [1, 'x'],
      [2, 'y'],
    ],
    { index_columns: 1, rows: 500 },
  );
  assert.deepEqual(shownTable(series), {
    columns: ['', 's'],
    rows: [
      ['x', 1],
      ['y', 2],
    ],
    total: 500,
  });
  const grouped = display(["('v', 'mean')", "('n', '')", 'k'], [[1.5, 3, 'a']], { index_columns: 1 });
  assert.deepEqual(shownTable(grouped), { columns: ['k', 'v mean', 'n'], rows: [['a', 1.5, 3]], total: 1 });
});

test('a table without one is as it is, and what is no table is none', () => {
  assert.deepEqual(shownTable(display(['a', 'b'], [[1, 2]])), { columns: ['a', 'b'], rows: [[1, 2]], total: 1 });
  assert.equal(shownTable({ content_type: 'arrow/ipc', preview: '0.5' }), null);
});
