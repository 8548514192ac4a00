// A reactive notebook on a real server: what is cheap follows a change by itself, once; the rest waits and says why.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cellRecord } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { type Frame, openSocket } from './kit/socket.ts';
import { addSql, setConnections } from './kit/sql.ts';

let server: TestServer;
/** Cheap cells take milliseconds, unless the machine is busy with others. */
const env = { SVC_NOTEBOOK_REACTIVE_CELL_SECONDS: '4', SVC_NOTEBOOK_REACTIVE_TOTAL_SECONDS: '60' };
before(async () => {
  server = await startServer({ env });
});
after(() => server[Symbol.asyncDispose]());

const reactive = async (notebook: TestNotebook, on = true): Promise<void> => {
  const answer = await notebook.request('PUT', '/reactive', { reactive: on });
  assert.equal(Object(answer.json).reactive, on, answer.text);
};
const finished =
  (cellId: string) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_output' && payload.cell_id === cellId;
const starts = (frames: readonly Frame[], cellId: string): number =>
  frames.filter(({ payload }) => payload.cell_id === cellId && payload.status === 'running').length;
const waiting =
  (cellId: string) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cellId && Object(payload.causality).waits !== undefined;
const waitsOf = async (notebook: TestNotebook, cellId: string): Promise<unknown> =>
  (await notebook.cell(cellId)).causality?.waits;
const printed = async (notebook: TestNotebook, cellId: string): Promise<string> =>
  (await notebook.cell(cellId)).console_stdout;

describe('a reactive notebook', () => {
  it('is one by a key of its file, and lets cheap cells follow an edit once, whoever watches', async () => {
    const notebook = await createTestNotebook(server, 'Follows');
    const first = await notebook.add('x = 1');
    const second = await notebook.add('y = x + 1');
    const third = await notebook.add('print(y)');
    await notebook.run(third);
    assert.deepEqual([(await notebook.state()).reactive, await printed(notebook, third)], [false, '2\n']);
    await notebook.edit(first, 'x = 2');
    assert.equal((await notebook.cell(third)).status, 'stale');
    await notebook.run(third);

    await reactive(notebook);
    assert.match(fs.readFileSync(path.join(notebook.path, 'notebook.toml'), 'utf8'), /^reactive = true$/m);
    const other = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}`);
    const frames = notebook.framesUntil(finished(third));
    const others = other.frame(finished(third));
    await notebook.edit(first, 'x = 10');
    const seen = await frames;
    await others;
    assert.deepEqual(
      [first, second, third].map((id) => starts(seen, id)),
      [1, 1, 1],
    );
    assert.equal(await printed(notebook, third), '11\n');
    // What a person runs is followed too.
    const again = notebook.framesUntil(finished(third));
    notebook.socket.send('cell_source_update', { cell_id: first, source: 'x = 20' });
    notebook.socket.send('cell_execute', { cell_id: first });
    await again;
    assert.equal(await printed(notebook, third), '21\n');

    await reactive(notebook, false);
    assert.doesNotMatch(fs.readFileSync(path.join(notebook.path, 'notebook.toml'), 'utf8'), /reactive/);
    await notebook.edit(first, 'x = 30');
    assert.equal((await notebook.cell(third)).status, 'stale');
    other.close();
  });

  it('lets dear cells wait with what they took, and those below them', async () => {
    const notebook = await createTestNotebook(server, 'Dear');
    const first = await notebook.add('x = 1');
    const dear = await notebook.add('import time\ntime.sleep(4.2)\ny = x + 1');
    const below = await notebook.add('print(y)');
    const cheap = await notebook.add('print(-x)');
    await notebook.run(below);
    await notebook.run(cheap);
    await reactive(notebook);
    const frames = notebook.framesUntil(finished(cheap));
    await notebook.edit(first, 'x = 5');
    await frames;
    assert.equal(await printed(notebook, cheap), '-5\n');
    const { status, causality } = await notebook.cell(dear);
    assert.deepEqual([status, causality?.waits?.because], ['stale', 'slow']);
    assert.ok((causality?.waits?.duration_ms ?? 0) > 4000);
    assert.deepEqual(await waitsOf(notebook, below), { because: 'above' });
    // Somebody runs it: what is below follows.
    const followed = notebook.framesUntil(finished(below));
    await notebook.run(dear);
    await followed;
    assert.equal(await printed(notebook, below), '6\n');
  });

  it('does nothing outside twice unasked: what wrote files, asked hosts or a database waits', async () => {
    const notebook = await createTestNotebook(server, 'Outside');
    await setConnections(notebook, [{ name: 'file', driver: 'duckdb', path: 'shop.duckdb' }]);
    const first = await notebook.add('x = 1');
    const writer = await notebook.add('with open("out.txt", "a") as out:\n    out.write(str(x))\nw = x');
    const program = await notebook.add('import subprocess\np = subprocess.run(["true"]).returncode + x');
    const filling = await addSql(
      notebook,
      '# @sql connection=file write=true\n# @name filled\nCREATE TABLE IF NOT EXISTS t (n INT);\nINSERT INTO t VALUES (:x)',
    );
    const plain = await notebook.add('print(x)');
    for (const id of [writer, program, filling, plain]) assert.equal((await notebook.run(id)).error, null);
    await reactive(notebook);
    const frames = notebook.framesUntil(finished(plain));
    await notebook.edit(first, 'x = 2');
    await frames;
    for (const id of [writer, program, filling])
      assert.deepEqual(await waitsOf(notebook, id), { because: 'outside' }, id);
    assert.equal(fs.readFileSync(path.join(notebook.path, 'work', 'out.txt'), 'utf8'), '1');
  });

  it('runs no half of a statement', async () => {
    const notebook = await createTestNotebook(server, 'Halves');
    const first = await notebook.add('x = 1\ndef twice(n):\n    return 2 * n');
    const second = await notebook.add('print(x)');
    const third = await notebook.add('print(twice(3))');
    for (const id of [second, third]) await notebook.run(id);
    await reactive(notebook);
    const waits = notebook.framesUntil(waiting(third));
    await notebook.edit(first, 'x = (2\ndef twice(n):\n    return 2 * n');
    assert.deepEqual(
      [second, third].map((id) => starts(notebook.socket.frames, id)),
      [1, 1],
    );
    await waits;
    assert.deepEqual(await Promise.all([first, second, third].map((id) => waitsOf(notebook, id))), [
      { because: 'broken' },
      { because: 'above' },
      { because: 'above' },
    ]);
    const frames = notebook.framesUntil(finished(second));
    await notebook.edit(first, 'x = (2)\ndef twice(n):\n    return 2 * n');
    assert.deepEqual([starts(await frames, second), await printed(notebook, second)], [1, '2\n']);
  });

  it('follows when a definition is deleted, and when it is back', async () => {
    const notebook = await createTestNotebook(server, 'Deleted');
    const first = await notebook.add('x = 1');
    const second = await notebook.add('print(x)');
    await notebook.run(second);
    await reactive(notebook);
    const failed = notebook.socket.frame(({ type, payload }) => type === 'cell_error' && payload.cell_id === second);
    await notebook.request('DELETE', `/cells/${first}`);
    assert.match(JSON.stringify((await failed).payload), /NameError: name 'x' is not defined/);
    const back = notebook.framesUntil(finished(second));
    await notebook.request('POST', `/cells/${first}/restore`);
    await back;
    assert.deepEqual([(await notebook.cell(second)).status, await printed(notebook, second)], ['ready', '1\n']);
  });

  it('follows a widget, also one that does not say @live', async () => {
    const notebook = await createTestNotebook(server, 'Widgets');
    const { id: widget } = cellRecord.parse((await notebook.request('POST', '/cells', { language: 'widget' })).json);
    await notebook.edit(widget, 'n = slider(0, 10, default=1)\n');
    const reader = await notebook.add('print(n)');
    await notebook.run(reader);
    await reactive(notebook);
    const frames = notebook.framesUntil(finished(reader));
    notebook.socket.send('widget_update', { cell_id: widget, values: { n: 7 } });
    const seen = await frames;
    assert.deepEqual([starts(seen, reader), await printed(notebook, reader)], [1, '7\n']);
  });
});

describe('a reactive notebook on a shared server', () => {
  it('runs nothing for somebody who may write and not run', async () => {
    await using shared = await startProxied();
    const all = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write notebook:execute' });
    const writes = asserted({ principal: 'bob', scopes: 'notebook:read notebook:write' });
    const opened = Object(
      (await shared.rest.post('/v1/notebooks/create', { headers: all, json: { parent_path: '.', name: 'Ours' } })).json,
    );
    const at = `/v1/notebooks/${opened.session_id}`;
    const socket = await openSocket(shared.address, `/v1/notebooks/ws/${opened.session_id}`, all);
    await socket.frame(({ type }) => type === 'environment_job_finished');
    const send = async (method: string, place: string, json: unknown, headers = all) =>
      Object((await shared.rest.send(method, `${at}${place}`, { headers, json })).json);
    await send('PUT', '/connections', { connections: [{ name: 'duck', driver: 'duckdb', path: ':memory:' }] });
    const query = (n: number): string => `# @sql connection=duck\nSELECT ${n} AS n`;
    const { id } = await send('POST', '/cells', { language: 'sql', source: query(1) });
    assert.equal((await send('POST', `/cells/${id}/execute`, {})).error, null);
    await send('PUT', '/reactive', { reactive: true });
    const start = socket.frames.length;
    const edited = await send('PUT', `/cells/${id}`, { source: query(2), force: true }, writes);
    assert.equal(edited.cell?.source, query(2), JSON.stringify(edited));
    const ran = socket.frame((frame) => socket.frames.indexOf(frame) >= start && finished(id)(frame));
    await send('PUT', `/cells/${id}`, { source: query(3), force: true });
    await ran;
    const told = socket.frames.slice(start).filter(finished(id));
    assert.equal(told.length, 1);
    assert.match(JSON.stringify(told[0]?.payload), /\| 3 \|/);
    socket.close();
  });
});
