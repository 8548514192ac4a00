import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createStore, emptyModel, reduce } from '../state/index.ts';
import { createWritingOn } from './writingOn.ts';

const key = (name: string, held: object = {}) => ({
  key: name,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  ...held,
});

it('keys of somebody whose cell was deleted are text until they pause, press Escape or a command', () => {
  let now = 0;
  const store = createStore(emptyModel, reduce);
  const writingOn = createWritingOn(store, () => now);
  const press = (...names: string[]): boolean[] => names.map((name) => writingOn.takes(key(name)));
  assert.deepEqual(press('d', 'd'), [false, false]);
  writingOn.begin();
  assert.deepEqual(press('d', 'Shift', 'D', 'Enter', 'x', 'Backspace'), [true, false, true, true, true, true]);
  assert.deepEqual(
    store.get().orphans.map(({ text }) => text),
    ['dD\n'],
  );
  now += 2900;
  assert.deepEqual(press('e', 'Escape', 'd'), [true, true, false]);
  writingOn.begin();
  assert.deepEqual([writingOn.takes(key('z', { ctrlKey: true })), ...press('d')], [false, false]);
  writingOn.begin();
  now += 3100;
  assert.deepEqual(press('d'), [false]);
  writingOn.begin();
  writingOn.end();
  assert.deepEqual(press('d'), [false]);
});

it('keys for an empty cell that was deleted are not added to what is kept of another one', () => {
  const store = createStore(emptyModel, reduce);
  const writingOn = createWritingOn(store, () => 0);
  const other = { language: 'python', text: 'of another cell' } as const;
  store.send({ kind: 'orphaned', orphan: other });
  writingOn.begin({ language: 'sql', text: '' });
  for (const name of ['Backspace', 'x', 'y', 'Backspace']) assert.equal(writingOn.takes(key(name)), true);
  assert.deepEqual(store.get().orphans, [other, { language: 'sql', text: 'x' }]);
});
