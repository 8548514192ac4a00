import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Change, createUndo, NotDone } from './undoStack.ts';

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

it('keeps a step that could not be taken back, to be tried again or left out', async () => {
  const undo = createUndo();
  const reversed = () => Promise.reject(new Error('it knows how'));
  let isRefused = true;
  const done: string[] = [];
  const step = (name: string) => async (): Promise<void> => {
    if (isRefused) throw new Error('somebody holds it');
    done.push(name);
  };
  undo.did('first', step('first back'), step('first again'));
  undo.did('second', step('second back'), step('second again'));
  const failed = { name: 'NotDone', label: 'second', message: 'somebody holds it' };
  await assert.rejects(undo.takeBack(reversed), failed);
  assert.equal(undo.isStuck(), true);
  isRefused = false;
  assert.equal(await undo.takeBack(reversed), 'second');
  assert.equal(undo.isStuck(), false);
  isRefused = true;
  await assert.rejects(undo.doAgain(), NotDone);
  isRefused = false;
  assert.equal(await undo.doAgain(), 'second');
  assert.equal(undo.isStuck(), false, 'what was taken back after all is not stuck when it is made again');
  isRefused = true;
  await assert.rejects(undo.takeBack(reversed), NotDone);
  assert.equal(undo.skip(), 'second');
  isRefused = false;
  assert.deepEqual([await undo.takeBack(reversed), await undo.takeBack(reversed)], ['first', undefined]);
  assert.deepEqual(done, ['second back', 'second again', 'first back']);
});

it('a step that is left out while it is tried again takes no other one with it', async () => {
  const undo = createUndo();
  const reversed = () => Promise.reject(new Error('it knows how'));
  const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
  let tries = 0;
  const nothing = async (): Promise<void> => {};
  undo.did('first', nothing, nothing);
  undo.did(
    'second',
    async () => {
      tries += 1;
      if (tries === 1) throw new Error('somebody holds it');
      await answer;
    },
    nothing,
  );
  await assert.rejects(undo.takeBack(reversed), NotDone);
  const again = undo.takeBack(reversed);
  assert.equal(undo.skip(), 'second');
  answers();
  assert.equal(await again, 'second');
  assert.deepEqual([undo.isStuck(), await undo.takeBack(reversed)], [false, 'first']);
});
