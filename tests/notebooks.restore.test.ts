// Deleting a cell can be taken back while its notebook is open: it returns as it was, with what it gave.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cellRecord } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

describe('a deleted cell', () => {
  let server: TestServer;
  let notebook: TestNotebook;
  before(async () => {
    server = await startServer();
    notebook = await createTestNotebook(server);
  });
  after(() => server.stop());

  const remove = async (id: string) => assert.equal((await notebook.request('DELETE', `/cells/${id}`)).status, 200);
  const restore = (id: string) => notebook.request('POST', `/cells/${id}/restore`);
  const order = async () => (await notebook.state()).cells.map(({ id }) => id);

  it('comes back in its place with its result, settings and tests, and so do cells that read from it', async () => {
    const top = await notebook.add('print("loaded")\nnumbers = [1, 2, 3]\nnumbers');
    const below = await notebook.add('sum(numbers)');
    await notebook.run(below);
    await notebook.run(top);
    await notebook.request('PUT', `/cells/${top}/tests`, { source: 'def test_it(cell):\n    assert cell.numbers' });
    const [state, cells] = [await notebook.state(), await order()];
    await remove(top);
    assert.equal((await notebook.cell(below)).status, 'stale');

    const told = notebook.framesUntil(({ type }) => type === 'notebook_state');
    const answer = await restore(top);
    assert.equal(answer.status, 200);
    assert.equal((await told).length, 1);
    assert.deepEqual([await order(), (await notebook.state()).cells], [cells, state.cells]);
    assert.deepEqual(answer.json, await notebook.cell(top));
    // Nothing is computed again, now or in a later session.
    assert.equal((await notebook.run(below)).cache_hit, true);
    await notebook.request('POST', '/close');
    notebook = await openTestNotebook(server, notebook.path);
    assert.deepEqual(
      [
        (await notebook.cell(top)).status,
        (await notebook.cell(top)).console_stdout,
        (await notebook.run(top)).cache_hit,
      ],
      ['ready', 'loaded\n', true],
    );
    await remove(below);
    await remove(top);
  });

  it('comes back failed, stale or chosen, as it was', async () => {
    const [wrong, old] = [await notebook.add('1 / 0'), await notebook.add('x = 1\nx')];
    await notebook.run(wrong);
    await notebook.run(old);
    await notebook.edit(old, 'x = 2\nx');
    const { id: widget } = cellRecord.parse((await notebook.request('POST', '/cells', { language: 'widget' })).json);
    const chosen = notebook.framesUntil(({ payload }) => payload.cell_id === widget && payload.status === 'ready');
    notebook.socket.send('widget_update', { cell_id: widget, values: { alpha: 0.25 } });
    await chosen;
    const cells = (await notebook.state()).cells;
    for (const id of [wrong, old, widget]) await remove(id);
    for (const id of [widget, old, wrong]) assert.equal((await restore(id)).status, 200);
    assert.deepEqual((await notebook.state()).cells, cells);
  });

  it('is another matter once what it reads has changed', async () => {
    const source = await notebook.add('base = 1');
    const reader = await notebook.add('base + 1');
    await notebook.run(reader);
    await remove(reader);
    await notebook.edit(source, 'base = 5');
    await notebook.run(source);
    assert.equal((await restore(reader)).status, 200);
    assert.equal((await notebook.cell(reader)).status, 'stale');
  });

  it('comes back once, and only one that was deleted', async () => {
    const id = await notebook.add('"here"');
    await remove(id);
    assert.equal((await restore(id)).status, 200);
    const cells = await order();
    // Asked again, because an answer was lost: there it is.
    assert.equal((await restore(id)).status, 200);
    assert.deepEqual(await order(), cells);
    assert.deepEqual((await restore('nowhere')).json, {
      detail: 'Cell nowhere was not deleted since the notebook was opened; add a new cell with its source',
    });
  });
});
