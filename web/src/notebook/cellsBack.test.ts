import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { createStore, emptyModel, reduce } from '../state/index.ts';
import { bringBack, deleteAdded, type RemovedCell } from './cellsBack.ts';
import { reversed } from './reversed.ts';
import { createUndo } from './undoStack.ts';
import { firstView, reduceView } from './view.ts';

interface Kept {
  id: string;
  language: 'python';
  source: string;
  updated_by: string | null;
}

const cell = (id: string, source: string, updated_by: string | null = 'ann'): Kept => ({
  id,
  language: 'python',
  source,
  updated_by,
});

/** What the server has; `deleted` are those that it can bring back. */
const server = { cells: [] as Kept[], deleted: [] as Kept[], asked: [] as string[] };

function answer(method: string, place: string, json: { source?: string }): Kept | { cells: Kept[] } | undefined {
  const [, id = '', deed] = /\/cells(?:\/(\w+))?(?:\/(\w+))?$/.exec(place) ?? [];
  if (method === 'GET' || place.endsWith('/reorder')) return { cells: server.cells };
  if (deed === 'restore') {
    const found = server.deleted.find((one) => one.id === id);
    server.deleted = server.deleted.filter((one) => one !== found);
    if (found) server.cells.push(found);
    return found;
  }
  if (method === 'POST') {
    const added = cell(`new${server.cells.length}`, '');
    server.cells.push(added);
    return added;
  }
  const found = server.cells.find((one) => one.id === id);
  if (method === 'DELETE') server.cells = server.cells.filter((one) => one !== found);
  else if (found) found.source = json.source ?? '';
  return found;
}

before(() => {
  const asks: typeof fetch = async (place, request) => {
    const method = request?.method ?? 'GET';
    const { pathname } = new URL(String(place));
    server.asked.push(`${method} ${pathname.replace(/^.*\/cells/, 'cells')}`);
    const given = answer(method, pathname, JSON.parse(String(request?.body ?? '{}')));
    return Response.json(given ?? { detail: 'There is no such cell.' }, { status: given ? 200 : 404 });
  };
  Object.assign(globalThis, { fetch: asks, document: { baseURI: 'http://here/' } });
});

function page(you = 'ann') {
  server.asked = [];
  const store = createStore({ ...emptyModel, presence: { principals: [], you } }, reduce);
  return { sessionId: 's', store, view: createStore(firstView, reduceView), undo: createUndo() };
}
const same = (id: string): string => id;
const removed: RemovedCell = { id: 'a', language: 'python', source: 'a = 1' };

it('a deleted cell comes back though the page has not been told yet that it is gone', async () => {
  Object.assign(server, { cells: [], deleted: [cell('a', 'a = 1')] });
  const session = page();
  const told = new Map([['a', { ...cell('a', 'a = 1') }]]);
  Object.assign(session.store.get(), { cells: told });
  await bringBack(session, removed, same);
  assert.deepEqual([server.cells.map(({ id }) => id), server.asked], [['a'], ['POST cells/a/restore']]);
});

it('a cell that somebody brought back already is not there twice, and keeps what they wrote', async () => {
  Object.assign(server, { cells: [cell('a', 'a = 2', 'bob')], deleted: [] });
  await bringBack(page(), removed, same);
  assert.deepEqual(server.cells, [cell('a', 'a = 2', 'bob')]);
});

it('a cell that the server has forgotten comes back as another one, with its text', async () => {
  Object.assign(server, { cells: [], deleted: [] });
  const { undo, ...session } = page();
  const renamed: string[] = [];
  await bringBack({ ...session, undo: { ...undo, renamed: (...names) => void renamed.push(...names) } }, removed, same);
  assert.deepEqual([server.cells, renamed], [[cell('new0', 'a = 1')], ['a', 'new0']]);
});

it('an added cell that somebody else wrote in since is not deleted with what they wrote', async () => {
  const added = { a: '', b: 'b = 1' };
  const cases: readonly (readonly [who: string | null, you: string, left: string[]])[] = [
    ['bob', 'ann', ['a', 'b']],
    ['ann', 'ann', []],
    [null, 'local', []],
  ];
  for (const [who, you, left] of cases) {
    Object.assign(server, { cells: [cell('a', '', 'bob'), cell('b', 'b = 1 + mine', who)] });
    const deleted = deleteAdded(page(you), added, same);
    if (left.length === 0) await deleted;
    else await assert.rejects(deleted, { message: 'bob has written in the cell since, so it stays.' });
    assert.deepEqual(
      server.cells.map(({ id }) => id),
      left,
    );
  }
});

it('who deletes the cell that they were writing in gives commands from then on', async () => {
  Object.assign(server, { cells: [cell('a', '')] });
  const session = page();
  session.view.send({ kind: 'select', cellId: 'a', mode: 'edit' });
  await deleteAdded(session, { a: '' }, same);
  assert.equal(session.view.get().mode, 'command');
});

it('what others do while a step is taken back is none of what making it again does', async () => {
  Object.assign(server, { cells: [cell('a', 'a = 1'), cell('b', 'b = 1')], deleted: [cell('mine', 'mine = 1')] });
  const sent: string[] = [];
  const session = { ...page(), link: { flush: (cellId: string) => void sent.push(cellId) } };
  session.undo.did('deleting a cell', (now) => bringBack(session, { ...removed, id: 'mine', source: 'mine = 1' }, now));
  await session.undo.takeBack((work) =>
    reversed(session, async () => {
      const touched = await work();
      server.cells = [...server.cells.filter(({ id }) => id !== 'b'), cell('theirs', 'theirs = 1')];
      server.cells = server.cells.map((one) => (one.id === 'a' ? { ...one, source: 'a = 2' } : one));
      return touched;
    }),
  );
  await session.undo.doAgain();
  assert.deepEqual([server.cells, sent], [[cell('a', 'a = 2'), cell('theirs', 'theirs = 1')], []]);
});
