// Cells that only work as one: whoever reads what can neither be kept nor made anew is told so before its run, and joining them
// over REST gives one cell that runs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinCellsBody } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const join = (notebook: TestNotebook, ...cell_ids: string[]) => notebook.request('POST', '/cells/join', { cell_ids });
const joined = async (notebook: TestNotebook, ...ids: string[]) => {
  const answer = await join(notebook, ...ids);
  assert.equal(answer.status, 200, answer.text);
  return joinCellsBody.parse(answer.json);
};
const refusal = async (notebook: TestNotebook, ...ids: string[]): Promise<unknown> => {
  const before = await notebook.state();
  const { status, json } = await join(notebook, ...ids);
  assert.deepEqual([status, (await notebook.state()).cells], [409, before.cells], 'nothing is changed');
  return Object(json).detail.message;
};
const sources = async (notebook: TestNotebook) => (await notebook.state()).cells.map(({ source }) => source);

/** It writes a file, so whoever reads its generator must not run it again. */
const maker = 'open("log.txt", "w").close()\nG = (n * n for n in range(9))';
const message = '`G` is a generator and cannot be kept: join these cells';

describe('a value that can neither be kept nor made anew', () => {
  it('is told to its reader before the run, in state and frames, over a restart, until its maker is edited', async () => {
    const notebook = await createTestNotebook(server, 'Before');
    const first = await notebook.add(maker);
    assert.equal((await notebook.run(first)).status, 'ready');
    const reader = await notebook.add('next(G)');
    const advice = [{ name: 'G', kind: 'generator', cell_ids: [first, reader], message }];
    const { to_join, status } = await notebook.cell(reader);
    assert.deepEqual([status, to_join], ['idle', advice]);

    await server.rest.post(`/v1/notebooks/${notebook.sessionId}/close`);
    const reopened = await openTestNotebook(server, notebook.path);
    assert.deepEqual((await reopened.cell(reader)).to_join, advice);

    const told = reopened.framesUntil(({ type, payload }) => type === 'cell_status' && payload.cell_id === reader);
    reopened.socket.send('cell_source_update', { cell_id: first, source: 'G = iter([1, 2])' });
    assert.equal((await told).at(-1)?.payload.to_join, undefined);
    assert.deepEqual((await reopened.cell(reader)).to_join, undefined);
    await reopened.run(reader);
    assert.equal((await reopened.cell(reader)).display_output?.preview, 1);
  });

  it('is told to both when the maker failed for it, and the joined cell runs', async () => {
    const notebook = await createTestNotebook(server, 'Failed');
    const first = await notebook.add(maker);
    const reader = await notebook.add('next(G)\nprint(next(G))');
    const told = notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.cell_id === reader);
    assert.equal((await notebook.run(reader)).status, 'error');
    const advice = [{ name: 'G', kind: 'generator', cell_ids: [first, reader], message }];
    assert.deepEqual([(await notebook.cell(first)).to_join, (await notebook.cell(reader)).to_join], [advice, advice]);
    assert.deepEqual((await told).at(-1)?.payload.to_join, advice);

    const body = await joined(notebook, reader, first);
    assert.deepEqual(
      [body.cell_id, body.removed_cell_ids, body.before, body.cells.map(({ source }) => source)],
      [first, [reader], { source: maker, cell_ids: [first, reader] }, [`${maker}\n\nnext(G)\nprint(next(G))`]],
    );
    assert.equal((await notebook.run(first)).error, null);
    assert.deepEqual(
      [(await notebook.cell(first)).console_stdout, (await notebook.cell(first)).to_join],
      ['1\n', undefined],
    );

    // Taking it back: the cell that went returns with its settings, and the first gets its text.
    assert.equal((await notebook.request('POST', `/cells/${reader}/restore`)).status, 200);
    await notebook.edit(first, body.before.source);
    assert.deepEqual(await sources(notebook), [maker, 'next(G)\nprint(next(G))']);
  });

  it('that may be made anew is nobody told of', async () => {
    const notebook = await createTestNotebook(server, 'Remade');
    const first = await notebook.add('G = (n for n in range(3))\nlock = __import__("threading").Lock()');
    await notebook.run(first);
    const reader = await notebook.add('next(G), lock.locked()');
    assert.equal((await notebook.cell(reader)).to_join, undefined);
    await notebook.run(reader);
    assert.equal(await notebook.statuses(), 'ready ready');
  });
});

describe('cells that are joined', () => {
  it('keep the annotations of all, and comments where they were', async () => {
    const notebook = await createTestNotebook(server, 'Annotations');
    const first = await notebook.add('# @name load\n# @timeout 30\n# about a\na = 1');
    const second = await notebook.add('# @timeout 30\n# @env MODE=fast\n# about b\nb = a');
    const third = await notebook.add('# @name last\n\nc = b  # c');
    await joined(notebook, first, second, third);
    assert.deepEqual(await sources(notebook), [
      '# @name load\n# @timeout 30\n# @env MODE=fast\n# about a\na = 1\n\n# about b\nb = a\n\nc = b  # c',
    ]);
  });

  it('stand where the order holds: at the first, else at the last, else they are refused', async () => {
    const notebook = await createTestNotebook(server, 'Order');
    const [a, between, b] = [await notebook.add('x = 1'), await notebook.add('y = 2'), await notebook.add('z = x')];
    await joined(notebook, a, b);
    assert.deepEqual(await sources(notebook), ['x = 1\n\nz = x', 'y = 2']);
    await notebook.request('DELETE', `/cells/${between}`);

    const made = await notebook.add('w = 5');
    const reader = await notebook.add('z + w');
    await joined(notebook, a, reader);
    const { cells } = await notebook.state();
    assert.deepEqual(
      cells.map(({ id, source }) => [id, source]),
      [
        [made, 'w = 5'],
        [a, 'x = 1\n\nz = x\n\nz + w'],
      ],
    );

    const both = await notebook.add('v = z + 1');
    const last = await notebook.add('z * v');
    assert.equal(
      await refusal(notebook, a, last),
      'There are cells between them that must stay between them: cell 3 makes `v`; cell 3 reads `z`. Join them too, or move them first',
    );
    await joined(notebook, a, both, last);
    assert.deepEqual(await sources(notebook), ['w = 5', 'x = 1\n\nz = x\n\nz + w\n\nv = z + 1\n\nz * v']);
  });

  it('are refused by the name of what contradicts', async () => {
    const notebook = await createTestNotebook(server, 'Contradictions');
    const first = await notebook.add('# @timeout 30\n# @env MODE=slow\na = 1');
    const second = await notebook.add('# @timeout 60\nb = a');
    assert.equal(
      await refusal(notebook, first, second),
      'cell 1 and cell 2 contradict each other in @timeout: “30” and “60”',
    );
    await notebook.edit(second, '# @env MODE=fast\nb = a');
    assert.equal(
      await refusal(notebook, first, second),
      'cell 1 and cell 2 contradict each other in @env MODE: “MODE=slow” and “MODE=fast”',
    );
    await notebook.edit(second, '%%time\nb = a');
    assert.equal(await refusal(notebook, first, second), 'cell 2 has %%time, which stands for the whole of a cell');
    await notebook.edit(second, 'b = a');
    await notebook.request('PUT', `/cells/${second}/tests`, { source: 'def test_b():\n    assert b == 1' });
    assert.match(String(await refusal(notebook, first, second)), /cell 2 has tests of its own/);
    const { id } = Object((await notebook.request('POST', '/cells', { language: 'markdown', source: 'text' })).json);
    assert.equal(await refusal(notebook, first, id), 'cell 1 and cell 3 are of different languages');
    assert.equal((await join(notebook, first, 'nobody')).status, 400);
  });
});
