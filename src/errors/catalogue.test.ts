import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusals } from './index.ts';

it('rule 3: a table that is denied is not there, unless the settings let it be forbidden', () => {
  const [hidden, shown] = [refusals.tableNotFound(true), refusals.tableNotFound(false)];
  assert.deepEqual([hidden.kind, hidden.detail], ['not_found', 'Table not found']);
  assert.deepEqual([shown.kind, shown.detail], ['forbidden', 'Access denied']);
});
