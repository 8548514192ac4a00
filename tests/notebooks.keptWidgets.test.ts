// Cells that are kept for their widgets, as a page uses them over its socket: each ends when it should, and stores nothing.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ServerPayload, serverFrames } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { displayEnvironment, lendPackages } from './kit/notebookEnvironment.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

type Kept = ServerPayload<'widgets_kept'>;

const source = `import ipywidgets as w
label = w.IntText(1)
label.observe(lambda change: print('now', change['new'] * factor), 'value')
label`;

/** Undefined after the test was marked as skipped. */
async function notebookWithWidget(
  t: TestContext,
  server: TestServer,
): Promise<{ notebook: TestNotebook; above: string; cell: string } | undefined> {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return undefined;
  const notebook = await createTestNotebook(server);
  lendPackages(path.resolve(server.home, notebook.path), interpreter);
  const above = await notebook.add('factor = 10');
  const cell = await notebook.add(source);
  await notebook.run(above);
  assert.equal((await notebook.run(cell)).status, 'ready');
  return { notebook, above, cell };
}

type Fits = (frame: Frame) => boolean;

/** The first frame from now on that fits; others may come right behind it. */
async function next({ framesUntil }: TestNotebook, fits: Fits, act: () => unknown = () => {}): Promise<Kept> {
  const frames = framesUntil(fits);
  await act();
  return serverFrames.widgets_kept.parse((await frames).find(fits)?.payload);
}

const ask = (notebook: TestNotebook, type: string, payload: object): Promise<Kept> =>
  next(
    notebook,
    (frame) => frame.type === 'widgets_kept',
    () => notebook.socket.send(type, payload),
  );

/** Why it ended, as everybody is told. */
async function reasonOfEnd(notebook: TestNotebook): Promise<string | undefined> {
  return (await next(notebook, ({ type, payload }) => type === 'widgets_kept' && payload.kept === false)).reason;
}

/** Types a number, as a page would. */
async function type(notebook: TestNotebook, cell: string, model: string, value: number): Promise<Kept> {
  const data = { method: 'update', state: { value }, buffer_paths: [] };
  return ask(notebook, 'widgets_send', { cell_id: cell, messages: [{ model, kind: 'comm_msg', data, buffers: [] }] });
}

const modelOf = ({ messages }: Kept): string =>
  messages.find(({ data }) => Object(data.state)._model_name === 'IntTextModel')?.model ?? '';

describe('a cell that is kept for its widgets', () => {
  it('hears what is done, reads what the cell reads, and leaves the stored result as it is', async (t) => {
    await using server = await startServer();
    const found = await notebookWithWidget(t, server);
    if (found === undefined) return;
    const { notebook, cell } = found;
    const before = await notebook.cell(cell);
    const kept = await ask(notebook, 'widgets_keep', { cell_id: cell });
    assert.deepEqual([kept.kept, kept.reason], [true, undefined]);
    const { printed, reason } = await type(notebook, cell, modelOf(kept), 7);
    assert.deepEqual([printed, reason], ['now 70\n', undefined]);
    const again = await ask(notebook, 'widgets_keep', { cell_id: cell });
    assert.equal(Object(again.messages.find(({ model }) => model === modelOf(kept))?.data.state).value, 7);
    assert.deepEqual(await notebook.cell(cell), before);
  });

  it('ends when it runs, is edited, has an edited cell above, or is let go', async (t) => {
    await using server = await startServer();
    const found = await notebookWithWidget(t, server);
    if (found === undefined) return;
    const { notebook, above, cell } = found;
    const reasonAfter = async (act: () => unknown): Promise<string | undefined> => {
      const kept = await ask(notebook, 'widgets_keep', { cell_id: cell });
      assert.deepEqual([kept.kept, kept.reason], [true, undefined]);
      const ended = reasonOfEnd(notebook);
      await act();
      return ended;
    };
    assert.deepEqual(
      [
        await reasonAfter(() => notebook.run(cell, 'force')),
        await reasonAfter(() => notebook.edit(cell, `${source}\n`)),
        await reasonAfter(() => notebook.edit(above, 'factor = 20')),
        await reasonAfter(() => notebook.socket.send('widgets_release', { cell_id: cell })),
      ],
      [
        'the cell was run again',
        'the cell, or what it reads, was edited',
        'the cell, or what it reads, was edited',
        'it was let go',
      ],
    );
  });

  it('ends when nobody uses it, and when it does not answer', async (t) => {
    const env = { SVC_NOTEBOOK_KEPT_CELL_IDLE_SECONDS: '3', SVC_NOTEBOOK_KEPT_CELL_ANSWER_SECONDS: '20' };
    await using server = await startServer({ env });
    const found = await notebookWithWidget(t, server);
    if (found === undefined) return;
    const { notebook, cell } = found;
    const ended = reasonOfEnd(notebook);
    await ask(notebook, 'widgets_keep', { cell_id: cell });
    assert.equal(await ended, 'nobody used its widgets for 3 s');
    await notebook.edit(cell, source.replace("print('now'", "__import__('time').sleep(600) or print('now'"));
    const slow = await ask(notebook, 'widgets_keep', { cell_id: cell });
    assert.equal((await type(notebook, cell, modelOf(slow), 2)).reason, 'it did not answer within 20 s');
  });

  it('is not there for cells that fail, and says why', async (t) => {
    await using server = await startServer();
    const found = await notebookWithWidget(t, server);
    if (found === undefined) return;
    const { notebook, cell } = found;
    await notebook.edit(cell, '1 / 0');
    const { kept, reason } = await ask(notebook, 'widgets_keep', { cell_id: cell });
    assert.equal(kept, false);
    assert.match(reason ?? '', /ZeroDivisionError: division by zero/);
  });

  it('is a setting of the notebook, kept in its file', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    assert.deepEqual((await notebook.state()).keep_widgets, false);
    await notebook.request('PUT', '/keep-widgets', { keep_widgets: true });
    assert.deepEqual((await notebook.state()).keep_widgets, true);
  });
});
