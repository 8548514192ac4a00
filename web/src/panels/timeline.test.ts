import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CellProfile, lastRun } from './timeline.ts';

const cell = (cell_id: string, ended_at: number | null, duration_ms: number, cache_hit = false): CellProfile => ({
  cell_id,
  cell_name: cell_id,
  status: 'ready',
  duration_ms,
  cache_hit,
  execution_count: 1,
  ended_at,
});

it('the last run is what ran without a long pause: each cell from its beginning to its end, in their order', () => {
  const profiles = [
    cell('c', 10_500, 300),
    cell('a', 10_000, 1000),
    cell('beside', 10_100, 900),
    cell('yesterday', 2_000, 500),
    cell('reused', 10_400, 700, true),
    cell('never', null, 0),
  ];
  assert.deepEqual(
    lastRun(profiles).map(({ profile, begin, end }) => [profile.cell_id, begin, end]),
    [
      ['a', 0, 1000],
      ['beside', 200, 1100],
      ['c', 1200, 1500],
    ],
  );
  assert.deepEqual(lastRun([]), []);
});
