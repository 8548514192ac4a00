// Widget cells as people use them: controls, choices, and cells that follow them.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { type Frame, openSocket } from './kit/socket.ts';
import { until } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

async function addWidget(notebook: TestNotebook, source: string): Promise<string> {
  const { id } = Object((await notebook.request('POST', '/cells', { language: 'widget' })).json);
  await notebook.edit(id, source);
  return id;
}

const isStatus =
  (cellId: string, status: string) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cellId && payload.status === status;

const controls = `rate = slider(0, 10, default=2.5)
count = slider(0, 250)
colour = dropdown(["red", "blue"])
title = text("Hello")
dark = checkbox()
`;

describe('a widget cell', () => {
  it('shows its controls, and gives their values to other cells with the types that Python expects', async () => {
    const notebook = await createTestNotebook(server, 'Controls');
    const widget = await addWidget(notebook, controls);
    const reader = await notebook.add('[rate, count, colour, title, dark]');
    assert.deepEqual((await notebook.cell(widget)).widget, {
      descriptors: [
        { name: 'rate', kind: 'slider', params: { min: 0, max: 10, default: 2.5, step: 0.1 }, default: 2.5 },
        { name: 'count', kind: 'slider', params: { min: 0, max: 250, step: 2 }, default: 0 },
        { name: 'colour', kind: 'dropdown', params: { options: ['red', 'blue'] }, default: 'red' },
        { name: 'title', kind: 'text', params: { default: 'Hello' }, default: 'Hello' },
        { name: 'dark', kind: 'checkbox', params: {}, default: false },
      ],
      values: {},
    });
    const ran = await notebook.run(reader);
    assert.deepEqual(ran.display?.preview, [2.5, 0, 'red', 'Hello', false]);
    const { outputs } = await notebook.run(widget, 'rerun');
    const artifact_uri = `svc://artifact/nb_${(await notebook.state()).id}_cell_${widget}_var_rate@v=2`;
    assert.deepEqual(outputs.rate, { content_type: 'json/object', artifact_uri, preview: 2.5 });
    assert.equal((await notebook.cell(widget)).execution_method, 'widget');

    const typed = await notebook.add('print(type(rate).__name__, rate, type(count).__name__, count)');
    const told = notebook.framesUntil(isStatus(widget, 'ready'));
    notebook.socket.send('widget_update', { cell_id: widget, values: { rate: 7000, count: 4, colour: 'green', x: 1 } });
    await told;
    assert.equal((await notebook.cell(reader)).status, 'stale');
    assert.equal((await notebook.run(typed)).stdout, 'float 10.0 int 4\n');
    assert.deepEqual((await notebook.cell(widget)).widget, {
      descriptors: Object((await notebook.cell(widget)).widget).descriptors,
      values: { rate: 10, count: 4 },
    });
  });

  it('finds the results of values that were chosen before, also after a restart', async () => {
    const notebook = await createTestNotebook(server, 'Back');
    const widget = await addWidget(notebook, 'n = slider(0, 9)');
    const square = await notebook.add('n * n');
    await notebook.run(square);
    for (const n of [3, 0]) {
      const told = notebook.framesUntil(isStatus(widget, 'ready'));
      notebook.socket.send('widget_update', { cell_id: widget, values: { n } });
      await told;
    }
    assert.equal((await notebook.cell(square)).status, 'ready');
    const chosen = notebook.framesUntil(isStatus(widget, 'ready'));
    notebook.socket.send('widget_update', { cell_id: widget, values: { n: 3 } });
    await chosen;
    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal((await reopened.cell(widget)).status, 'ready');
    assert.equal((await reopened.run(square)).display?.preview, 9);
  });

  it('runs what follows a live one, for viewers too, and the last choice wins', async () => {
    const notebook = await createTestNotebook(server, 'Live');
    const widget = await addWidget(notebook, '# @live\nn = slider(0, 100)');
    const twice = await notebook.add('twice = n * 2');
    const shown = await notebook.add('print(twice)');
    await notebook.run(shown);
    const viewer = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}?role=viewer`);
    const told = notebook.framesUntil(
      ({ type, payload }) => type === 'cell_output' && payload.cell_id === shown && payload.stdout === '84\n',
    );
    for (const n of [1, 2, 3, 42]) viewer.send('widget_update', { cell_id: widget, values: { n } });
    await told;
    assert.equal((await notebook.cell(twice)).status, 'ready');
    await viewer.close();
  });

  it('takes what is chosen on several at once, also while something else runs', async () => {
    const notebook = await createTestNotebook(server, 'Several');
    const left = await addWidget(notebook, '# @live\na = slider(0, 9)');
    const right = await addWidget(notebook, '# @live\nb = slider(0, 9)');
    const slow = await notebook.add('import time\ntime.sleep(0.5)\nprint(a)');
    const both = await notebook.add('print(a, b)');
    const other = await notebook.add('import time\ntime.sleep(0.5)');
    for (const id of [slow, both, other]) await notebook.run(id);
    const printed = (text: string): Promise<Frame[]> =>
      notebook.framesUntil(
        ({ type, payload }) => type === 'cell_output' && payload.cell_id === both && payload.stdout === text,
      );

    const second = printed('2 3\n');
    const begun = notebook.framesUntil(isStatus(slow, 'running'));
    notebook.socket.send('widget_update', { cell_id: left, values: { a: 1 } });
    await begun;
    notebook.socket.send('widget_update', { cell_id: right, values: { b: 3 } });
    notebook.socket.send('widget_update', { cell_id: left, values: { a: 2 } });
    const frames = await second;
    assert.deepEqual(
      frames.filter(({ type }) => type === 'error'),
      [],
    );
    assert.equal(frames.filter(isStatus(both, 'running')).length, 2, 'once for the first choice, once for the others');

    await until(async () => /^(ready ?)+$/.test(await notebook.statuses()), 'everything is over');
    const third = printed('2 5\n');
    const rerun = notebook.framesUntil(isStatus(other, 'running'));
    notebook.socket.send('cell_execute_rerun', { cell_id: other });
    await rerun;
    notebook.socket.send('widget_update', { cell_id: right, values: { b: 5 } });
    const refused = (await third).filter(({ type }) => type === 'error');
    assert.deepEqual(
      refused.map(({ payload }) => [payload.code, payload.cell_id]),
      [['notebook_busy', right]],
    );
  });

  it('takes a choice on a control that an edit has just brought', async () => {
    const notebook = await createTestNotebook(server, 'Edited');
    const widget = await addWidget(notebook, 'n = slider(0, 9)');
    const file = path.join(notebook.path, 'cells', (await readdir(path.join(notebook.path, 'cells')))[0] ?? '');
    for (let round = 0; round < 10; round++) {
      const source = `n${round} = slider(0, 9)`;
      const edited = notebook.edit(widget, source);
      // It is written, and not yet looked at.
      await until(async () => (await readFile(file, 'utf8')) === source, 'the edit is on disk');
      const told = notebook.framesUntil((frame) => isStatus(widget, 'ready')(frame) || frame.type === 'error');
      notebook.socket.send('widget_update', { cell_id: widget, values: { [`n${round}`]: 3 } });
      const last = (await told).at(-1);
      assert.equal(last?.type, 'cell_status', String(last?.payload.error));
      await edited;
      assert.equal(Object((await notebook.cell(widget)).widget).values[`n${round}`], 3);
    }
  });

  it('refuses what is no choice', async () => {
    const notebook = await createTestNotebook(server, 'Refusals');
    const widget = await addWidget(notebook, 'n = slider(0, 9)');
    const plain = await notebook.add('1');
    const answer = async (payload: object): Promise<unknown> => {
      const told = notebook.framesUntil(({ type }) => type === 'error');
      notebook.socket.send('widget_update', payload);
      return (await told).at(-1)?.payload.error;
    };
    assert.match(String(await answer({ cell_id: widget, values: { other: 1 } })), /No valid widget values/);
    assert.match(String(await answer({ cell_id: widget, values: { n: 'many' } })), /No valid widget values/);
    assert.match(String(await answer({ cell_id: plain, values: { n: 1 } })), /not a widget cell/);
    assert.match(String(await answer({ cell_id: widget })), /cell_id or values/);
  });

  it('says what is wrong with its text, and does not run with it', async () => {
    const notebook = await createTestNotebook(server, 'Wrong');
    const widget = await addWidget(
      notebook,
      'n = knob(3)\nm = slider(0, x)\nk = text()\nk = text()\nj = slider(9, 1)\n',
    );
    const { annotation_diagnostics: found, defines } = await notebook.cell(widget);
    assert.deepEqual(defines, ['k', 'j']);
    assert.deepEqual(
      Object(found).map(({ code, message }: { code: string; message: string }) => `${code}: ${message}`),
      [
        'widget_invalid: n: knob is not a control; there are slider, number, dropdown, text, checkbox',
        'widget_invalid: m: x is not a literal value',
        'widget_invalid: k: it is defined twice; give one of them another name',
        "widget_bad_range: 'j' goes from 9 to 1, which leaves nothing to choose",
      ],
    );
    assert.match((await notebook.run(widget)).error ?? '', /widgets cannot be read: n: knob/);
    await notebook.edit(
      widget,
      'a = slider("x", 1)\nb = slider(5)\nc = dropdown("xy")\nd = slider(0, 1, step=0)\ne = number("one")\n',
    );
    assert.deepEqual(
      Object((await notebook.cell(widget)).annotation_diagnostics).map(({ message }: { message: string }) => message),
      [
        'a: min must be a number',
        'b: a slider needs a number for max',
        'c: options must be a list',
        'd: step must be more than 0',
        'e: default must be a number',
      ],
    );
  });
});
