// Tests of cells: committed files, run by real pytest in the notebook's own environment.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Tested');
});
after(() => server[Symbol.asyncDispose]());

const tests = `import pytest

def test_good(cell):
    assert cell.double(cell.base) == 20

def test_bad(cell):
    print("seen")
    assert cell.double(1) == 3

def test_skipped():
    pytest.skip("not now")

def test_bare_name():
    assert double(1)
`;

/** Resolves when there is a file of this name in the folder. */
async function watchFor(folder: string, name: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { filename } of fs.watch(folder, { signal })) if (filename === name) return;
}

describe('tests of a cell', () => {
  it('run against a copy of the cell with its inputs, and bring pytest when it is missing', async () => {
    await notebook.add('base = 10');
    const cell = await notebook.add('def double(x):\n    return base * 0 + x * 2\nprint("ran")');
    const written = await notebook.request('PUT', `/cells/${cell}/tests`, { source: tests });
    assert.equal(written.status, 200);
    const file = path.join(notebook.path, 'cells', `${cell}.test.py`);
    assert.equal(
      await fs
        .readFile(file, 'utf8')
        .catch(() => fs.readFile(path.join(notebook.path, 'cells', `${cell}.test.py`), 'utf8')),
      tests,
    );

    const answer = Object((await notebook.request('POST', `/cells/${cell}/tests`)).json);
    const { cell_id, passed, failed, errored, skipped, pytest_unavailable, auto_installed } = answer;
    assert.deepEqual(
      { cell_id, passed, failed, errored, skipped, pytest_unavailable, auto_installed },
      {
        cell_id: cell,
        passed: 1,
        failed: 2,
        errored: 0,
        skipped: 1,
        pytest_unavailable: false,
        auto_installed: ['pytest'],
      },
    );
    const outcomes = answer.tests.map(({ nodeid, outcome }: Record<string, string>) => `${nodeid} ${outcome}`);
    assert.deepEqual(outcomes, [
      'test_cell.py::test_good passed',
      'test_cell.py::test_bad failed',
      'test_cell.py::test_skipped skipped',
      'test_cell.py::test_bare_name failed',
    ]);
    assert.match(answer.tests[1].message, /assert 2 == 3.*Captured stdout call.*seen/s);
    assert.equal((await notebook.cell(cell)).status, 'idle');
    assert.match(await fs.readFile(path.join(notebook.path, 'pyproject.toml'), 'utf8'), /dev = \[\s*"pytest/);
  });

  it('are stale once the cell, its tests or its inputs are others, and last beyond a restart', async () => {
    const own = await createTestNotebook(server, 'Stale');
    const source = await own.add('a = 1');
    const cell = await own.add('b = a + 1');
    await own.request('PUT', `/cells/${cell}/tests`, { source: 'def test(cell): assert cell.b == 2\n' });
    const stale = async (): Promise<unknown> => Object((await own.cell(cell)).test_result).stale;
    assert.equal(Object((await own.request('POST', `/cells/${cell}/tests`)).json).passed, 1);
    assert.equal(await stale(), false);
    await own.edit(cell, 'b = a + 2');
    assert.equal(await stale(), true);
    await own.edit(cell, 'b = a + 1');
    assert.equal(await stale(), false);
    await own.edit(source, 'a = 5');
    await own.run(source);
    assert.equal(await stale(), true);
    await own.request('POST', '/close');
    const reopened = await openTestNotebook(server, own.path);
    assert.equal(Object((await reopened.cell(cell)).test_result).passed, 1);
  });

  it('are told in frames over the socket, and can be cancelled from it', async () => {
    const cell = await notebook.add('value = 3');
    const told = notebook.framesUntil(({ type, payload }) => type === 'cell_test_status' && payload.status === 'ready');
    notebook.socket.send('cell_run_tests', { cell_id: cell, test_source: 'def test(cell): assert cell.value == 3\n' });
    const frames = (await told).filter(({ type }) => type.startsWith('cell_test'));
    assert.deepEqual(
      frames.map(({ type, payload }) => [type, payload.status ?? payload.passed]),
      [
        ['cell_test_status', 'running'],
        ['cell_test_results', 1],
        ['cell_test_status', 'ready'],
      ],
    );
    const running = notebook.framesUntil(({ type }) => type === 'cell_test_status');
    const ended = notebook.framesUntil(
      ({ type, payload }) => type === 'cell_test_status' && payload.status === 'error',
    );
    notebook.socket.send('cell_run_tests', {
      cell_id: cell,
      test_source: 'import time\ndef test(): time.sleep(100)\n',
    });
    await running;
    notebook.socket.send('cell_cancel', { cell_id: cell });
    await ended;
    assert.equal((await notebook.run(cell)).status, 'ready');
  });

  it('say what is wrong when the cell, or the file, does not run', async () => {
    const broken = await notebook.add('1 / 0');
    await notebook.request('PUT', `/cells/${broken}/tests`, { source: 'def test(cell): pass\n' });
    const failing = Object((await notebook.request('POST', `/cells/${broken}/tests`)).json);
    assert.deepEqual([failing.errored, failing.tests[0].outcome], [1, 'error']);
    assert.match(failing.tests[0].message, /ZeroDivisionError/);
    await notebook.request('PUT', `/cells/${broken}/tests`, { source: 'def test(:\n' });
    const unreadable = Object((await notebook.request('POST', `/cells/${broken}/tests`)).json);
    assert.equal(unreadable.errored, 1);
    assert.match(unreadable.tests[0].message, /SyntaxError/);
  });

  it('hold against what tests do: end their process, print without measure, or change what is tested', async () => {
    const upstream = await notebook.add('given = 1');
    const cell = await notebook.add('made = given + 1');
    const test = async (source: string) => {
      await notebook.request('PUT', `/cells/${cell}/tests`, { source });
      return Object((await notebook.request('POST', `/cells/${cell}/tests`)).json);
    };
    const killed = await test('import os, signal\ndef test(cell): os.kill(os.getpid(), signal.SIGKILL)\n');
    assert.deepEqual([killed.errored, killed.tests[0].nodeid], [1, 'test_cell.py']);
    const exited = await test('import os\ndef test(cell): os._exit(0)\n');
    assert.deepEqual([exited.passed, exited.errored], [0, 1]);
    const loud = await test('def test(cell):\n    print("x" * 100_000_000)\n    assert cell.made == 3\n');
    assert.equal(loud.failed, 1);
    assert.ok(loud.tests[0].message.length < 21_000, String(loud.tests[0].message.length));
    assert.match(loud.tests[0].message, /assert 2 == 3.*characters left out.*xxx/s);
    const many = await test(
      'import pytest\n@pytest.mark.parametrize("n", range(500))\ndef test(n):\n    print("y" * 50_000)\n    assert n < 0\n',
    );
    assert.equal(many.failed, 500);
    assert.ok(JSON.stringify(many).length < 3_000_000, String(JSON.stringify(many).length));

    const isStale = async (): Promise<unknown> => Object((await notebook.cell(cell)).test_result).stale;
    const begun = path.join(notebook.path, 'begun');
    const slow = `import os, time\ndef test(cell):\n    open(${JSON.stringify(begun)}, "w").close()\n    while os.path.exists(${JSON.stringify(begun)}): time.sleep(0.01)\n`;
    for (const change of [
      () => notebook.request('PUT', `/cells/${cell}/tests`, { source: `${slow}# other\n` }),
      () => notebook.edit(cell, 'made = given + 2'),
    ]) {
      const seen = watchFor(notebook.path, 'begun');
      const testing = test(slow);
      await seen;
      assert.equal((await change()).status, 200);
      await fs.rm(begun);
      assert.equal((await testing).passed, 1);
      assert.equal(await isStale(), true, 'the result is about what was tested, not about what stands there now');
    }
    await notebook.request('DELETE', `/cells/${upstream}`);
  });

  it('are refused where there is nothing to test', async () => {
    const plain = await notebook.add('1');
    const { id: text } = Object((await notebook.request('POST', '/cells', { language: 'markdown' })).json);
    const answers = await Promise.all([
      notebook.request('POST', `/cells/${plain}/tests`),
      notebook.request('POST', `/cells/${text}/tests`),
      notebook.request('PUT', `/cells/${text}/tests`, { source: 'x' }),
      notebook.request('POST', '/cells/nobody/tests'),
    ]);
    assert.deepEqual(
      answers.map(({ status, json }) => [status, Object(json).detail]),
      [
        [400, `Cell ${plain} has no tests`],
        [400, 'Cell tests are only supported for Python cells'],
        [400, 'Cell tests are only supported for Python cells'],
        [404, 'Cell not found'],
      ],
    );
  });
});
