import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closest, didYouMean } from './suggest.ts';

const known = ['SVC_PORT', 'SVC_HOST', 'SVC_NOTEBOOK_STORAGE_DIR', 'tables'];

test('the closest known name, when it is close', () => {
  const cases = ['SVC_PROT', 'SVC_HOSTS', 'SVC_NOTEBOOK_STORAGE_DIRECTORY', 'tabels', 'SVC_X_Y_Z', ''];
  assert.deepEqual(
    cases.map((name) => closest(name, known)),
    ['SVC_PORT', 'SVC_HOST', 'SVC_NOTEBOOK_STORAGE_DIR', 'tables', null, null],
  );
  assert.equal(didYouMean('tabels', known), '; did you mean tables?');
  assert.equal(didYouMean('unlike', known), '');
});
