import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Change, createUndo } from './undoStack.ts';

it('takes steps back newest first, with the ids that cells have by then', async () => {
  const undo = createUndo();
  const done: string[] = [];
  const reversed = async (work: () => Promise<unknown>): Promise<Change> => {
    await work();
    return async () => {};
  };
  undo.did('adding', async (now) => done.push(`delete ${now('a')}`));
  undo.did('deleting', async () => undo.renamed('a', 'a2'));
  assert.deepEqual(
    [await undo.takeBack(reversed), await undo.takeBack(reversed), await undo.takeBack(reversed)],
    ['deleting', 'adding', undefined],
  );
  assert.deepEqual(done, ['delete a2']);
});

it('makes again what was taken back, until something else is done', async () => {
  const undo = createUndo();
  let value = 0;
  const set = (to: number): void => {
    const before = value;
    value = to;
    undo.did(
      `setting ${to}`,
      async () => {
        value = before;
      },
      async () => {
        value = to;
      },
    );
  };
  const reversed = () => Promise.reject(new Error('it knows how'));
  set(1);
  set(2);
  const seen = [];
  for (const step of ['back', 'back', 'again', 'again', 'again', 'back'])
    seen.push([step === 'back' ? await undo.takeBack(reversed) : await undo.doAgain(), value]);
  assert.deepEqual(seen, [
    ['setting 2', 1],
    ['setting 1', 0],
    ['setting 1', 1],
    ['setting 2', 2],
    [undefined, 2],
    ['setting 2', 1],
  ]);
  set(3);
  assert.deepEqual([await undo.doAgain(), value], [undefined, 3]);
});
