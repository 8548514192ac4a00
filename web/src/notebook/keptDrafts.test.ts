import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createStore, emptyModel, type NotebookModel, reduce } from '../state/index.ts';
import { keepDrafts, keptDrafts } from './keptDrafts.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
});

/** Two cells, empty on the server. */
function store() {
  const cells = new Map(['a', 'b'].map((id) => [id, { id, source: '' }]));
  return createStore({ ...emptyModel, cells } as unknown as NotebookModel, reduce);
}

test('a draft comes back with the name of the model that part of it is from', () => {
  const before = store();
  const stop = keepDrafts(before, 'here');
  before.send({ kind: 'typed', cellId: 'a', text: 'x = 1' });
  before.send({ kind: 'typed', cellId: 'b', text: 'y = 2', assistedBy: 'small-model' });
  stop();
  const drafts = keptDrafts('here');
  assert.deepEqual(drafts, { a: { text: 'x = 1' }, b: { text: 'y = 2', assistedBy: 'small-model' } });

  const after = store();
  after.send({ kind: 'restored', drafts });
  assert.deepEqual(
    [...after.get().drafts].map(([id, { text, assistedBy }]) => [id, text, assistedBy]),
    [
      ['a', 'x = 1', undefined],
      ['b', 'y = 2', 'small-model'],
    ],
  );
});

test('what cannot be read as drafts is none', () => {
  for (const text of ['nonsense', 'null', '{"a": 1, "b": {"text": 2}, "c": {"text": "x", "assistedBy": 3}}']) {
    kept.set('svc.drafts:here', text);
    assert.deepEqual(keptDrafts('here'), {}, text);
  }
});
