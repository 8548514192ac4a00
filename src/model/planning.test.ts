import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellModel, NotebookModel } from './model.ts';
import { emptyModel } from './model.ts';
import { planOf, reach } from './planning.ts';

const edge = (from_cell_id: string, to_cell_id: string) => ({ from_cell_id, to_cell_id, variable: 'x' });
const edges = [edge('load', 'clean'), edge('clean', 'plot'), edge('clean', 'sum'), edge('other', 'sum')];

test('what lies above and below a cell, over others', () => {
  assert.deepEqual([...reach(edges, 'plot', 'above')].sort(), ['clean', 'load', 'plot']);
  assert.deepEqual([...reach(edges, 'load', 'below')].sort(), ['clean', 'load', 'plot', 'sum']);
  assert.deepEqual([...reach([], 'alone', 'above')], ['alone']);
});

test('a run computes the cell and what is not ready above it', () => {
  const cell = (status: string, durationMs: number | null) =>
    ({ status, durationMs, variantActive: true }) as CellModel;
  const model: NotebookModel = {
    ...emptyModel,
    edges,
    order: ['load', 'other', 'clean', 'plot', 'sum'],
    cells: new Map([
      ['load', cell('ready', 900)],
      ['other', cell('stale', 50)],
      ['clean', cell('stale', 200)],
      ['plot', cell('idle', null)],
      ['sum', cell('ready', 10)],
    ]),
  };
  assert.deepEqual(planOf(model, ['plot']), { cellIds: ['clean', 'plot'], estimateMs: 200, unknown: 1 });
  assert.deepEqual(planOf(model, ['sum']), { cellIds: ['other', 'clean', 'sum'], estimateMs: 260, unknown: 0 });
});
