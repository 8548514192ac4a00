// Names across cells over REST: where one is meant, and the same name written otherwise in all of them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { namePlacesBody, renamePreviewBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections } from './kit/sql.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const sources = async (notebook: TestNotebook) => (await notebook.state()).cells.map(({ source }) => source);
const look = (notebook: TestNotebook, name: string, to: string) =>
  notebook.request('GET', `/names/rename?${new URLSearchParams({ name, to })}`);

describe('a name of the notebook', () => {
  it('is found where cells mean it, before anything ran, and not where another scope has the word', async () => {
    const notebook = await createTestNotebook(server, 'Places');
    const make = await notebook.add('import math\n\nlimit = 3\nlimit += 1');
    const other = await notebook.add('def f(limit):\n    return limit\n\n[limit for limit in range(3)]');
    const read = await notebook.add('# limit\nprint("limit", limit,\n      math.pi + limit)');
    const { places } = namePlacesBody.parse((await notebook.request('GET', '/names/places?name=limit')).json);
    assert.deepEqual(places, [
      { cell_id: make, line: 3, text: 'limit = 3', defines: true },
      { cell_id: make, line: 4, text: 'limit += 1', defines: true },
      { cell_id: read, line: 2, text: 'print("limit", limit,', defines: false },
      { cell_id: read, line: 3, text: 'math.pi + limit)', defines: false },
    ]);
    assert.ok(!places.some(({ cell_id }) => cell_id === other));
  });

  it('is renamed in every cell and language that means it, as it was looked at, and cells give what they gave', async () => {
    const notebook = await createTestNotebook(server, 'Renamed');
    await setConnections(notebook, [{ name: 'mem', driver: 'duckdb', path: ':memory:' }]);
    await notebook.add('count = 2\nclass Box:\n    count = 5');
    await addSql(notebook, '# @sql connection=mem\n# @name table\nSELECT :count + 1 AS n');
    const shown = await notebook.add('def f(count): return count\nprint(f"{count}", f(count=count), "count")');
    assert.equal((await notebook.run(shown)).stdout, '2 2 count\n');
    const plan = renamePreviewBody.parse((await look(notebook, 'count', 'amount')).json);
    assert.deepEqual(
      plan.changes.map(({ lines }) => lines.map(({ line, after }) => [line, after])),
      [[[1, 'amount = 2']], [[3, 'SELECT :amount + 1 AS n']], [[2, 'print(f"{amount}", f(count=amount), "count")']]],
    );
    const answer = await notebook.request('POST', '/names/rename', { name: 'count', to: 'amount', token: plan.token });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await sources(notebook), [
      'amount = 2\nclass Box:\n    count = 5',
      '# @sql connection=mem\n# @name table\nSELECT :amount + 1 AS n',
      'def f(count): return count\nprint(f"{amount}", f(count=amount), "count")',
    ]);
    assert.equal((await notebook.run(shown)).stdout, '2 2 count\n');
    const late = await notebook.request('POST', '/names/rename', { name: 'count', to: 'total', token: plan.token });
    assert.equal(late.status, 409);
  });

  it('stays where the new word is taken or no name, and where something names it by its text', async () => {
    const notebook = await createTestNotebook(server, 'Refused');
    await notebook.add('a = 1');
    await notebook.add('print(globals(), a, b)');
    const message = async (to: string) => (await look(notebook, 'a', to)).json;
    const said = (text: string) => ({ detail: { code: 'name_not_changed', name: 'a', message: text } });
    assert.deepEqual(await message('b'), said('cell 2 has the word `b` already: choose another'));
    assert.deepEqual(await message('c'), said('it must stay: in cell 2 globals() reaches names by their text'));
    assert.deepEqual(
      await message('1c'),
      said('`1c` cannot be a name of the notebook: write a word of letters, digits and _ that begins with a letter'),
    );
    assert.deepEqual((await look(notebook, 'z', 'y')).json, {
      detail: { code: 'name_not_changed', name: 'z', message: 'No cell has z.' },
    });
  });
});
