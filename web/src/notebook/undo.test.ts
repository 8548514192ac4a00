import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createUndo } from './undo.ts';

it('takes steps back newest first, with the ids that cells have by then', async () => {
  const undo = createUndo();
  const done: string[] = [];
  undo.did('adding', async (now) => done.push(`delete ${now('a')}`));
  undo.did('deleting', async () => undo.renamed('a', 'a2'));
  assert.deepEqual(
    [await undo.takeBack(), await undo.takeBack(), await undo.takeBack()],
    ['deleting', 'adding', undefined],
  );
  assert.deepEqual(done, ['delete a2']);
});
