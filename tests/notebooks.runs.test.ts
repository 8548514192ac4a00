// Runs over several cells: what runs side by side, what keeps its order, and what a failure stops.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type CellResultRecord, discoverBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';
import { until } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

/** What was told of each cell's status, as `name status`, until the last cell is ready. */
async function runAll(
  notebook: TestNotebook,
  cells: Record<string, string>,
  last: string,
  order: 'notebook_run_all' | 'notebook_rerun_all' = 'notebook_run_all',
): Promise<string[]> {
  const names = new Map(Object.entries(cells).map(([name, id]) => [id, name]));
  const ready = ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cells[last] && payload.status === 'ready';
  const told = notebook.framesUntil(ready);
  notebook.socket.send(order);
  return (await told)
    .filter(({ type, payload }) => type === 'cell_status' && ['running', 'ready'].includes(String(payload.status)))
    .map(({ payload }) => `${names.get(String(payload.cell_id))} ${payload.status}`);
}

describe('a run over all cells', () => {
  it('runs branches that do not need each other side by side', { skip: availableParallelism() < 2 }, async () => {
    const notebook = await createTestNotebook(server, 'Branches');
    const wait = 'import time; time.sleep(0.5)';
    const root = await notebook.add('root = 1');
    const left = await notebook.add(`${wait}; left = root`);
    const right = await notebook.add(`${wait}; right = root`);
    const join = await notebook.add('left + right');
    const inOrder = await runAll(notebook, { root, left, right, join }, 'join');
    assert.deepEqual(
      inOrder,
      ['root', 'left', 'right', 'join'].flatMap((name) => [`${name} running`, `${name} ready`]),
      'what cells touch is not known before they have run',
    );
    const told = await runAll(notebook, { root, left, right, join }, 'join', 'notebook_rerun_all');
    assert.deepEqual(told.slice(0, 4), ['root running', 'root ready', 'left running', 'right running']);
    assert.deepEqual(told.slice(4, 6).sort(), ['left ready', 'right ready']);
    assert.deepEqual(told.slice(6), ['join running', 'join ready']);
  });

  it('keeps the order of cells that may meet in files', async () => {
    const notebook = await createTestNotebook(server, 'Files');
    const write = await notebook.add('import time; time.sleep(0.3); open("note.txt", "w").write("written")');
    const read = await notebook.add('open("note.txt").read()');
    const told = await runAll(notebook, { write, read }, 'read');
    assert.deepEqual(told, ['write running', 'write ready', 'read running', 'read ready']);
  });

  it('runs a cell after a later one that it names', async () => {
    const notebook = await createTestNotebook(server, 'After');
    const first = await notebook.add('first = 1');
    const later = await notebook.add('later = 2');
    await notebook.edit(first, `# @after ${later}\nopen("x", "w"); first = 1`);
    await notebook.edit(later, 'open("y", "w"); later = 2');
    const told = await runAll(notebook, { first, later }, 'first');
    assert.deepEqual(told, ['later running', 'later ready', 'first running', 'first ready']);
  });

  it('starts nothing after a failure unless it was told to go on', async () => {
    const notebook = await createTestNotebook(server, 'Failing');
    const bad = await notebook.add('bad = 1 / 0');
    const apart = await notebook.add('import time; apart = 1');
    const told = notebook.framesUntil(
      ({ type, payload }) => type === 'cell_status' && payload.cell_id === bad && payload.status === 'error',
    );
    notebook.socket.send('notebook_run_all', { continue_on_error: false });
    await told;
    await notebook.run(await notebook.add('another = 1'));
    assert.deepEqual([(await notebook.cell(bad)).status, (await notebook.cell(apart)).status], ['error', 'idle']);
  });
});

describe('what is kept of runs', () => {
  it('keeps what a cell gave under earlier sources', async () => {
    const notebook = await createTestNotebook(server, 'Earlier');
    const cell = await notebook.add('print("one"); 1');
    await notebook.run(cell);
    await notebook.edit(cell, '2');
    await notebook.run(cell);
    const { results } = Object((await notebook.request('GET', `/cells/${cell}/results`)).json);
    assert.deepEqual(
      results.map((one: CellResultRecord) => [
        one.is_current,
        one.source,
        one.stdout,
        one.display_outputs.map((d) => d.preview),
      ]),
      [
        [true, '2', '', [2]],
        [false, 'print("one"); 1', 'one\n', [1]],
      ],
    );
    assert.equal((await notebook.request('GET', '/cells/none/results')).status, 404);
  });

  it('tells lists of notebooks when it last ran and what fails', async () => {
    const own = await createTestNotebook(server, 'Last run');
    const listed = async () =>
      discoverBody
        .parse((await server.rest.get('/v1/notebooks/discover?last_runs=true')).json)
        .notebooks.find(({ path }) => path === own.path)?.last_run;
    assert.equal(await listed(), null);
    const began = Date.now();
    await own.run(await own.add('1 / 0'));
    await server.rest.post(`/v1/notebooks/${own.sessionId}/close`);
    const { at = 0, failed_cells } = (await listed()) ?? {};
    assert.deepEqual([at >= began, failed_cells], [true, 1]);
  });
});

describe('before anything has run, what a cell imports is loaded', () => {
  async function loadedAfter(type: string, payload: (cellId: string) => object): Promise<void> {
    const notebook = await createTestNotebook(server, `Expected ${type}`);
    const cell = await notebook.add('import pyarrow');
    notebook.socket.send(type, payload(cell));
    const seen = path.join(notebook.path, '.venv/svc-modules.json');
    await until(() => existsSync(seen) && readFileSync(seen, 'utf8').includes('"pyarrow"'), 'pyarrow is loaded ahead');
    assert.equal(await notebook.statuses(), 'idle');
  }

  it('when a page opens the notebook', () => loadedAfter('notebook_sync', () => ({})));

  it('when somebody goes to the cell', () => loadedAfter('cell_focus', (cell_id) => ({ cell_id })));
});
