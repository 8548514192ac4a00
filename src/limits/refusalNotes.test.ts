import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRefusalNotes } from './refusalNotes.ts';

it('a flood of refusals is told in two lines, and another one’s first beside it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: unknown[] = [];
  const note = createRefusalNotes((facts, times) => told.push([facts.path, times]));
  note({ who: 'ann', facts: { path: '/v1/names' } });
  for (let time = 0; time < 400; time++) note({ who: 'ann', facts: { path: '/v1/scan' } });
  note({ who: 'bob', facts: { path: '/v1/tags' } });
  assert.deepEqual(told, [
    ['/v1/names', 1],
    ['/v1/tags', 1],
  ]);
  t.mock.timers.tick(10_000);
  assert.deepEqual(told.slice(2), [['/v1/scan', 400]]);
  note({ who: 'ann', facts: { path: '/v1/names' } });
  assert.deepEqual(told.slice(3), [['/v1/names', 1]]);
});

it('of very many at once only so many lines are kept open', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let lines = 0;
  const note = createRefusalNotes(() => lines++);
  for (let at = 0; at < 5_000; at++) note({ who: `198.51.${at >> 8}.${at & 255}`, facts: {} });
  assert.equal(lines, 1_000);
});
