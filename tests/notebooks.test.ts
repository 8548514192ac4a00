// Notebooks as people use them, on a real server with real Python.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { type Frame, openSocket } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const brief = ({ type, payload }: Frame): string =>
  [type, payload.cell_id, payload.status, payload.text, payload.cache_hit]
    .filter((part) => part !== undefined)
    .join(' ');
const statusOf = (cellId: string, status: string) => (frame: Frame) =>
  frame.type === 'cell_status' && frame.payload.cell_id === cellId && frame.payload.status === status;

describe('a first notebook', () => {
  let notebook: TestNotebook;
  before(async () => {
    notebook = await createTestNotebook(server, 'First Steps');
  });

  it('is a plain directory', () => {
    assert.equal(notebook.path, path.join(server.home, '.svc/notebooks/first_steps'));
    assert.deepEqual(fs.readdirSync(notebook.path).sort(), [
      '.gitignore',
      '.svc',
      '.venv',
      'cells',
      'notebook.toml',
      'pyproject.toml',
      'uv.lock',
    ]);
  });

  it('runs a cell and what it needs, keeps the results, and serves them again', async () => {
    const x = await notebook.add('x = 41\nprint("hi")');
    const y = await notebook.add('y = x + 1\ny');
    const first = await notebook.run(y);
    assert.deepEqual([first.status, first.cache_hit, first.display?.preview], ['ready', false, 42]);
    const again = await notebook.run(y);
    assert.deepEqual(
      [again.status, again.cache_hit, again.execution_method, again.display?.preview],
      ['ready', true, 'cached', 42],
    );
    const cell = await notebook.cell(x);
    assert.deepEqual([cell.status, cell.console_stdout, Object.keys(cell.artifact_uris)], ['ready', 'hi\n', ['x']]);
  });

  it('tells a run in frames, in order', async () => {
    const cell = await notebook.add('print("out")\n7');
    const told = notebook.framesUntil(statusOf(cell, 'ready'));
    await notebook.run(cell);
    const frames = (await told).filter(({ payload }) => payload.cell_id === cell);
    const printed = frames.filter(({ type }) => type === 'cell_console').map(({ payload }) => payload.text);
    assert.equal(printed.join(''), 'out\n');
    assert.deepEqual(frames.filter(({ type }) => type !== 'cell_console').map(brief), [
      `cell_status ${cell} running`,
      `cell_output ${cell} false`,
      `cell_status ${cell} ready`,
    ]);
  });

  it('says what went wrong, where, and what to install', async () => {
    const broken = await notebook.add('a = 1\nb = 0\na / b');
    const failed = await notebook.run(broken);
    assert.deepEqual([failed.status, failed.error], ['error', 'ZeroDivisionError: division by zero']);
    assert.deepEqual(
      failed.traceback_frames,
      [{ cell_id: broken, line: 3, function: '<module>', text: 'a / b', column: 0, end_column: 5 }]
        .map(({ column: _column, end_column: _end, ...frame }) => frame)
        .map((frame) => ({ ...Object(failed.traceback_frames)[0], ...frame })),
    );
    const missing = await notebook.run(await notebook.add('import sklearn'));
    assert.equal(missing.suggest_install, 'scikit-learn');
    await notebook.request('DELETE', `/cells/${broken}`);
  });

  it('asks before it runs what a cell needs, and runs it when confirmed', async () => {
    const base = await notebook.add('base = 1');
    const top = await notebook.add('top = base + 1');
    const asked = notebook.framesUntil(({ type }) => type === 'cascade_prompt');
    notebook.socket.send('cell_execute', { cell_id: top });
    const payload = (await asked).at(-1)?.payload ?? {};
    assert.deepEqual([payload.cell_id, payload.cells_to_run], [top, [base, top]]);
    const told = notebook.framesUntil(
      ({ type, payload: { completed, total } }) => type === 'cascade_progress' && completed === total,
    );
    notebook.socket.send('cell_execute_cascade', { cell_id: top, plan_id: payload.plan_id });
    const progress = (await told)
      .filter(({ type }) => type === 'cascade_progress')
      .map(({ payload: { current_cell_id, completed, total } }) => [current_cell_id, completed, total]);
    assert.deepEqual(progress, [
      [base, 0, 2],
      [top, 1, 2],
      [top, 2, 2],
    ]);
    const refused = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.send('cell_execute_cascade', { cell_id: top, plan_id: payload.plan_id });
    assert.equal((await refused).at(-1)?.payload.error, 'Cascade plan not found or expired');
  });

  it('makes an edited cell idle and what it feeds stale, and ready again when the edit is undone', async () => {
    const root = await notebook.add('root = 5');
    const leaf = await notebook.add('root * 2');
    await notebook.run(leaf);
    await notebook.edit(root, 'root = 6');
    assert.deepEqual([(await notebook.cell(root)).status, (await notebook.cell(leaf)).status], ['idle', 'stale']);
    await notebook.edit(root, 'root   =   5   # the same, with a comment');
    assert.deepEqual([(await notebook.cell(root)).status, (await notebook.cell(leaf)).status], ['ready', 'ready']);
    await notebook.edit(root, 'root = 2 + 3');
    await notebook.run(root);
    assert.deepEqual([(await notebook.cell(root)).status, (await notebook.cell(leaf)).status], ['ready', 'ready']);
  });

  it('cancels a run with everything it started, and goes on', async () => {
    const slow = await notebook.add(
      'import subprocess, time\nsubprocess.Popen(["sleep", "600"])\nprint("started", flush=True)\ntime.sleep(600)',
    );
    const started = notebook.framesUntil(({ type }) => type === 'cell_console');
    const run = notebook.run(slow);
    await started;
    const busy = await notebook.request('POST', `/cells/${slow}/execute`);
    assert.deepEqual([busy.status, busy.json], [409, { detail: `Notebook is already executing cell ${slow}` }]);
    const cancelled = await notebook.request('POST', `/cells/${slow}/cancel`);
    assert.deepEqual(cancelled.json, { cell_id: slow, cancelled: true, status: 'idle' });
    const { status, error, ...rest } = await run;
    assert.deepEqual([status, error, rest.error_code], ['error', 'Cancelled before it finished', 'cancelled']);
    assert.deepEqual((await notebook.request('POST', `/cells/${slow}/cancel`)).json, {
      cell_id: slow,
      cancelled: false,
      status: 'idle',
    });
    assert.equal((await notebook.run(await notebook.add('1 + 1'))).status, 'ready');
    await notebook.request('DELETE', `/cells/${slow}`);
  });

  it('deletes a cell that runs, and with it what it started', async () => {
    const slow = await notebook.add('import time\nprint("started", flush=True)\ntime.sleep(600)');
    const started = notebook.framesUntil(({ type }) => type === 'cell_console');
    const run = notebook.run(slow);
    await started;
    assert.equal((await notebook.request('DELETE', `/cells/${slow}`)).status, 200);
    assert.equal((await run).error, 'Cancelled before it finished');
    assert.equal((await notebook.run(await notebook.add('1 + 1'))).status, 'ready');
  });

  it('closes a prompt that never answers, over the socket that asked it', async () => {
    const cell = await notebook.add('2');
    const told = async (type: string, payload: object, action: string) => {
      notebook.socket.send(type, { cell_id: cell, ...payload });
      const answered = await notebook.socket.frame(
        (frame) => frame.type === 'inspect_result' && frame.payload.action === action,
      );
      return answered.payload.ok;
    };
    assert.equal(await told('inspect_open', {}, 'open'), true);
    const endless = told('inspect_eval', { expr: '[None for _ in iter(int, 1)]' }, 'eval');
    assert.equal(await told('inspect_close', {}, 'close'), true);
    assert.equal(await endless, false);
  });

  it('handles as many frames as a socket sends, in their order', async () => {
    const cell = await notebook.add('text = 0');
    const count = 300;
    const last = notebook.framesUntil(
      ({ type, payload }) => type === 'dag_update' && payload.source === undefined && ++seen === count,
    );
    let seen = 0;
    for (let number = 1; number <= count; number++)
      notebook.socket.send('cell_source_update', { cell_id: cell, source: `text = ${number}` });
    await last;
    assert.equal((await notebook.cell(cell)).source, `text = ${count}`);
  });

  it('runs everything, goes round what a failure spoils, and then finds it all', async () => {
    const good = await notebook.add('good = 1');
    const bad = await notebook.add('bad = 1 / 0');
    const spoilt = await notebook.add('bad + good');
    const fine = await notebook.add('good + 1');
    const told = [statusOf(fine, 'ready'), statusOf(bad, 'error')].map((fits) => notebook.framesUntil(fits));
    notebook.socket.send('notebook_run_all');
    await Promise.all(told);
    const cells = await Promise.all([good, bad, spoilt, fine].map((id) => notebook.cell(id)));
    assert.deepEqual(
      cells.map(({ status }) => status),
      ['ready', 'error', 'idle', 'ready'],
    );
    await notebook.request('DELETE', `/cells/${spoilt}`);
    await notebook.request('DELETE', `/cells/${bad}`);
  });

  it('answers malformed frames instead of dropping the socket', async () => {
    const errors: unknown[] = [];
    const ask = async (send: () => void) => {
      const told = notebook.framesUntil(({ type }) => type === 'error');
      send();
      errors.push((await told).at(-1)?.payload.error);
    };
    await ask(() => notebook.socket.sendText('not json'));
    await ask(() => notebook.socket.sendText('[1]'));
    await ask(() => notebook.socket.sendText(new Uint8Array([1, 2])));
    await ask(() => notebook.socket.sendText('{"type": "nope"}'));
    await ask(() => notebook.socket.sendText('{"type": "cell_execute", "payload": null}'));
    await ask(() => notebook.socket.send('cell_execute'));
    await ask(() => notebook.socket.send('cell_source_update', { cell_id: 'x' }));
    await ask(() => notebook.socket.send('cell_execute', { cell_id: 'nowhere' }));
    await ask(() => notebook.socket.send('cell_execute', { cell_id: 7 }));
    assert.deepEqual(errors, [
      'A frame is a JSON object with a type and a payload.',
      'A frame is a JSON object with a type and a payload.',
      'Frames are text; this one is binary.',
      'Unknown message type: nope',
      'The payload of cell_execute is not an object.',
      'Missing cell_id',
      'Missing cell_id or source',
      'Cell nowhere not found',
      'cell_execute: cell_id: Invalid input: expected string, received number',
    ]);
  });
});

describe('two people', () => {
  it('see each other’s edits, hold their cells for a moment, and look without touching', async () => {
    const notebook = await createTestNotebook(server, 'Shared');
    const other = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}`);
    const cell = await notebook.add('z = 1');
    const seen = other.frame(({ type, payload }) => type === 'dag_update' && JSON.stringify(payload).includes('z = 2'));
    notebook.socket.send('cell_source_update', { cell_id: cell, source: 'z = 2', author: 'ann' });
    notebook.socket.send('cell_source_update', { cell_id: cell, source: 'z = 2', author: 'ann', force: true });
    await seen;
    other.send('cell_source_update', { cell_id: cell, source: 'z = 3', author: 'bob' });
    const locked = await other.frame(({ type }) => type === 'error');
    assert.deepEqual(
      [locked.payload.code, locked.payload.held_by, locked.payload.cell_id],
      ['cell_locked', 'ann', cell],
    );
    notebook.socket.send('cell_source_update', { cell_id: cell, source: 'z = 4', base: 'z = 1', author: 'ann' });
    const changed = await notebook.socket.frame(({ payload }) => payload.code === 'source_changed');
    assert.deepEqual([changed.payload.source, changed.payload.cell_id], ['z = 2', cell]);
    const viewer = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}?role=viewer`);
    viewer.send('cell_execute', { cell_id: cell });
    assert.equal((await viewer.frame(({ type }) => type === 'error')).payload.code, 'read_only');
    viewer.send('frame_of_a_later_version');
    viewer.send('cell_execute', {});
    viewer.send('widget_update', {});
    viewer.send('notebook_sync');
    await viewer.frame(({ type }) => type === 'notebook_state');
    assert.deepEqual(
      viewer.frames.filter(({ type }) => type === 'error').map(({ payload }) => payload.code ?? payload.error),
      ['read_only', 'read_only', 'read_only', 'Missing cell_id or values'],
    );
    assert.equal((await viewer.frame(({ type }) => type === 'notebook_state')).payload.session_id, notebook.sessionId);
    // Whoever may only look sees where the cursors of others are.
    notebook.socket.send('cursor_move', { cell_id: cell, anchor: 1, head: 4 });
    assert.deepEqual((await viewer.frame(({ type }) => type === 'cursors')).payload, {
      cursors: [{ principal: 'ann', cell_id: cell, anchor: 1, head: 4 }],
    });
    const gone = viewer.frame(({ type, payload }) => type === 'cursors' && Object(payload.cursors).length === 0);
    notebook.socket.send('cursor_move', { cell_id: 'none', anchor: 0, head: 0 });
    await gone;
    for (const socket of [notebook.socket, other, viewer]) {
      const numbers = socket.frames.map(({ seq }) => seq ?? 0);
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
    }
    other.close();
    viewer.close();
  });

  it('see what either sets', async () => {
    const notebook = await createTestNotebook(server, 'Set');
    for (const [place, wish, isSet] of [
      ['/name', { name: 'Renamed' }, (state) => state.name === 'Renamed'],
      ['/timeout', { timeout: 9 }, (state) => state.timeout === 9],
      ['/env', { env: { PLACE: 'here' } }, (state) => Object(state.env).PLACE === 'here'],
      ['/worker', { worker: 'local' }, (state) => state.worker === 'local'],
      [
        '/connections',
        { connections: [{ name: 'db', driver: 'duckdb', path: ':memory:' }] },
        (state) => Object(state.connections)[0]?.name === 'db',
      ],
    ] as readonly [string, object, (state: Record<string, unknown>) => boolean][]) {
      const told = notebook.framesUntil(({ type, payload }) => type === 'notebook_state' && isSet(payload));
      assert.equal((await notebook.request('PUT', place, wish)).status, 200, place);
      await told;
    }
  });
});

describe('coming back', () => {
  it('finds everything after kill -9: sources, statuses, outputs, console', async () => {
    const first = await startServer();
    const notebook = await createTestNotebook(first, 'Durable');
    const x = await notebook.add('x = [1, 2, 3]\nprint("computed")');
    const y = await notebook.add('sum(x)');
    await notebook.run(y);
    const failing = await notebook.add('print("tried")\n1 / 0');
    await notebook.run(failing);
    await first.stop('SIGKILL');
    await using second = await startServer({ home: first.home });
    const reopened = await openTestNotebook(second, notebook.path);
    assert.equal(await reopened.statuses(), 'ready ready error');
    assert.equal((await reopened.cell(failing)).console_stdout, 'tried\n');
    const cell = await reopened.cell(x);
    assert.deepEqual([cell.source, cell.console_stdout], ['x = [1, 2, 3]\nprint("computed")', 'computed\n']);
    const found = await reopened.run(y);
    assert.deepEqual([found.cache_hit, found.display?.preview], [true, 6]);
    assert.notEqual(reopened.sessionId, notebook.sessionId);
    fs.rmSync(first.home, { recursive: true, force: true });
  });

  it('remembers a failure until its source changes', async () => {
    const notebook = await createTestNotebook(server, 'Failing');
    const cell = await notebook.add('1 / 0');
    await notebook.run(cell);
    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(server, notebook.path);
    const { status, error } = await reopened.cell(cell);
    assert.equal(status, 'error');
    assert.match(error ?? '', /ZeroDivisionError: division by zero/);
    await reopened.edit(cell, '1 / 1');
    assert.deepEqual([(await reopened.cell(cell)).status, (await reopened.cell(cell)).error], ['idle', null]);
  });

  it('gives the same session to whoever opens the same notebook', async () => {
    const notebook = await createTestNotebook(server, 'Twice');
    assert.equal((await openTestNotebook(server, 'twice')).sessionId, notebook.sessionId);
    const closed = await notebook.request('POST', '/close');
    assert.deepEqual(closed.json, { closed: true, session_id: notebook.sessionId, path: notebook.path });
    assert.equal((await notebook.socket.frame(({ type }) => type === 'session_closed')).payload.reason, 'closed');
    assert.equal(await notebook.socket.closed, 1000);
    assert.notEqual((await openTestNotebook(server, notebook.path)).sessionId, notebook.sessionId);
  });

  it('shows edits that others make on disk, and never overwrites them unseen', async () => {
    const notebook = await createTestNotebook(server, 'Outside');
    const cell = await notebook.add('a = 1');
    const told = notebook.socket.frame(
      ({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('from outside'),
    );
    fs.writeFileSync(path.join(notebook.path, 'cells', `${cell}.py`), 'a = "from outside"');
    await told;
    assert.equal((await notebook.cell(cell)).source, 'a = "from outside"');
  });
});

describe('bad input', () => {
  const create = (json: object) =>
    server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'N', ...json } });
  const cases: [name: string, json: object, status: number][] = [
    ['an empty name', { name: '' }, 400],
    ['a name of dots', { name: '..' }, 400],
    ['a name with a slash', { name: 'a/b' }, 400],
    ['a name with NUL', { name: 'a\0b' }, 400],
    ['a name that is too long', { name: 'x'.repeat(5000) }, 400],
    ['a parent above the root', { parent_path: '../..' }, 400],
    ['a parent elsewhere', { parent_path: '/etc' }, 400],
    ['a parent with NUL', { parent_path: 'a\0b' }, 400],
    ['a Python that is not installed', { python_version: '3.1' }, 400],
    ['a Python that is none', { python_version: 'three' }, 422],
    ['a long Python version', { python_version: '3.111111111111111' }, 422],
  ];
  for (const [name, json, status] of cases) {
    it(`${status} for ${name}`, async () => {
      const before = fs.readdirSync(path.join(server.home, '.svc/notebooks'));
      assert.equal((await create(json)).status, status);
      assert.deepEqual(fs.readdirSync(path.join(server.home, '.svc/notebooks')), before);
    });
  }

  it('404 and 400 for what is not there', async () => {
    const answers = await Promise.all([
      server.rest.post('/v1/notebooks/open', { json: { path: 'nowhere' } }),
      server.rest.post('/v1/notebooks/open', { json: {} }),
      server.rest.get('/v1/notebooks/no-session/cells'),
      server.rest.send('DELETE', '/v1/notebooks/no-session'),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 422, 404, 404],
    );
  });
});

describe('functions and classes', () => {
  it('travel to other cells as source, with the values they need', async () => {
    const notebook = await createTestNotebook(server, 'Modules');
    const factor = await notebook.add('factor = 3');
    const shapes = await notebook.add(
      'import math\ndef area(r):\n    return factor * math.floor(r)\nclass Point:\n    def __init__(self, v): self.v = v\n    def twice(self): return self.v * 2',
    );
    const use = await notebook.add('p = Point(4)\narea(2.5)');
    const method = await notebook.add('p.twice()');
    assert.equal((await notebook.run(method)).display?.preview, 8);
    const hit = await notebook.run(use);
    assert.deepEqual([hit.cache_hit, hit.display?.preview], [true, 6]);
    const { is_module_cell, module_exports } = await notebook.cell(shapes);
    assert.deepEqual(
      [is_module_cell, module_exports],
      [
        true,
        [
          { name: 'Point', kind: 'class' },
          { name: 'area', kind: 'function' },
        ],
      ],
    );
    await notebook.edit(factor, 'factor = 5');
    assert.equal((await notebook.run(use)).display?.preview, 10);
  });

  it('say why one cannot', async () => {
    const notebook = await createTestNotebook(server, 'Lambdas');
    const square = await notebook.add('square = lambda x: x * x');
    const use = await notebook.add('square(3)');
    assert.match(
      (await notebook.run(use)).error ?? '',
      /'square' is a lambda, which has no source of its own: write it as a def/,
    );
    assert.deepEqual(
      (await notebook.cell(square)).annotation_diagnostics.map(({ code }) => code),
      ['module_export_blocked'],
    );
  });
});

describe('annotations', () => {
  it('set the limit of a run, and the message names what set it', async () => {
    const notebook = await createTestNotebook(server, 'Limits');
    const cell = await notebook.add('# @timeout 0.5\nimport time\ntime.sleep(60)');
    assert.match((await notebook.run(cell)).error ?? '', /The limit was set by the cell's @timeout annotation/);
  });

  it('are diagnosed on every edit', async () => {
    const notebook = await createTestNotebook(server, 'Diagnostics');
    const cell = await notebook.add('# @worker nowhere\n# @timeout soon\nx = 1');
    const codes = async () => (await notebook.cell(cell)).annotation_diagnostics.map(({ code, line }) => [code, line]);
    assert.deepEqual(await codes(), [
      ['worker_unknown', 1],
      ['timeout_not_numeric', 2],
    ]);
    await notebook.edit(cell, 'x = 1');
    assert.deepEqual(await codes(), []);
  });

  it('never serve a cell again that says so', async () => {
    const notebook = await createTestNotebook(server, 'Nocache');
    const cell = await notebook.add('# @nocache\nimport time\ntime.time_ns()');
    const first = await notebook.run(cell);
    const second = await notebook.run(cell, 'rerun');
    assert.notEqual(first.display?.preview, second.display?.preview);
    assert.equal((await notebook.cell(cell)).status, 'ready');
  });
});

describe('what cells run with', () => {
  it('secrets are blanked on disk, masked on the wire, and reach the cells', async () => {
    const notebook = await createTestNotebook(server, 'Secrets');
    const put = (env: object) => notebook.request('PUT', '/env', { env });
    const first = Object((await put({ API_KEY: 'hunter2', PLAIN: 'seen' })).json);
    assert.deepEqual(
      [first.env, first.env_sources],
      [
        { API_KEY: '__svc_masked__', PLAIN: 'seen' },
        { API_KEY: 'manual', PLAIN: 'manual' },
      ],
    );
    const toml = fs.readFileSync(path.join(notebook.path, 'notebook.toml'), 'utf8');
    assert.equal(toml.includes('hunter2'), false);
    assert.match(toml, /PLAIN = "seen"/);
    await put({ API_KEY: '__svc_masked__', PLAIN: 'changed' });
    const cell = await notebook.add('import os\n[os.environ["API_KEY"], os.environ["PLAIN"]]');
    assert.deepEqual((await notebook.run(cell)).display?.preview, ['hunter2', 'changed']);
    await put({ API_KEY: 'other', PLAIN: 'changed' });
    assert.equal((await notebook.cell(cell)).status, 'idle');
    assert.equal(
      (await notebook.socket.frame(({ type }) => type === 'notebook_state')).payload.env === undefined,
      false,
    );
    for (const frame of notebook.socket.frames)
      assert.equal(JSON.stringify(frame.payload.env ?? '').includes('hunter2'), false);
  });

  it('a timeout is within a day, and null restores the default', async () => {
    const notebook = await createTestNotebook(server, 'Timeouts');
    const put = async (timeout: unknown) => {
      const { status, json } = await notebook.request('PUT', '/timeout', { timeout });
      return [status, Object(json).timeout];
    };
    assert.deepEqual(
      [await put(90), await put(null), (await put(0))[0], (await put(86_401))[0], (await put('soon'))[0]],
      [[200, 90], [200, null], 422, 422, 422],
    );
  });

  it('variables that no program could be given are refused, and so is a blank name', async () => {
    const notebook = await createTestNotebook(server, 'Unusable');
    const { status, text } = await notebook.request('PUT', '/env', { env: { 'A=B': 'x' } });
    assert.match(`${status} ${text}`, /^422 .*Names of environment variables are letters, digits and _/);
    assert.equal((await notebook.request('PUT', '/name', { name: '  ' })).status, 422);
    const { env, name } = await notebook.state();
    assert.deepEqual([env, name], [{}, 'Unusable']);
  });
});

describe('variants', () => {
  it('are copied from the active one, chosen, and feed the cells below', async () => {
    const notebook = await createTestNotebook(server, 'Variants');
    const one = await notebook.add('# @variant model small\nsize = 1');
    const use = await notebook.add('size * 10');
    assert.equal((await notebook.run(use)).display?.preview, 10);
    const added = Object((await notebook.request('POST', '/variant-groups/model/variants')).json);
    assert.equal(added.new_variant_name, 'small_copy');
    await notebook.edit(added.new_cell_id, '# @variant model small_copy\nsize = 2');
    assert.equal((await notebook.run(use)).display?.preview, 20);
    assert.deepEqual(
      [(await notebook.cell(one)).variant_active, (await notebook.cell(added.new_cell_id)).variant_active],
      [false, true],
    );
    const chosen = Object((await notebook.request('PUT', '/variant-groups/model', { active: 'small' })).json);
    assert.deepEqual(
      chosen.variant_groups.map((group: { active_name: string }) => group.active_name),
      ['small'],
    );
    const back = await notebook.run(use);
    assert.deepEqual([back.cache_hit, back.display?.preview], [true, 10]);
    const told = notebook.framesUntil(({ type }) => type === 'dag_update');
    notebook.socket.send('variant_set_active', { group: 'model', name: 'small_copy' });
    await told;
    assert.equal((await notebook.run(use)).display?.preview, 20);
    const added2 = notebook.framesUntil(
      ({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('small_copy_copy'),
    );
    notebook.socket.send('variant_add', { group: 'model', author: 'ann' });
    await added2;
    const refused = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.send('variant_add', { group: 'none' });
    assert.equal((await refused).at(-1)?.payload.error, "Variant group 'none' does not exist");
    assert.equal((await notebook.request('PUT', '/variant-groups/model', {})).status, 400);
    assert.equal((await notebook.request('POST', '/variant-groups/none/variants')).status, 404);
    assert.equal((await notebook.request('PUT', '/variant-groups/none', { mode: 'sweep' })).status, 404);
  });
});

describe('outputs', () => {
  it('are served as bytes that a browser shows but never runs', async () => {
    const notebook = await createTestNotebook(server, 'Outputs');
    const cell = await notebook.add(
      'class Page:\n    def _repr_html_(self): return "<script>alert(1)</script>"\ndisplay({"a": 1})\ndisplay(Page())\nMarkdown("# Title")',
    );
    await notebook.run(cell);
    const get = async (index: number) => {
      const { status, headers, text } = await notebook.request('GET', `/cells/${cell}/outputs/${index}/blob`);
      return [
        status,
        headers['content-type'],
        headers['x-svc-output-index'],
        headers['content-security-policy'],
        headers['content-disposition'],
        text,
      ];
    };
    const policy = "sandbox; frame-ancestors 'self'";
    assert.deepEqual(await get(0), [200, 'application/json', '0', policy, undefined, '{\n  "a": 1\n}']);
    assert.deepEqual(await get(1), [
      200,
      'application/octet-stream',
      '1',
      policy,
      'attachment',
      '<script>alert(1)</script>',
    ]);
    assert.deepEqual(await get(-1), [200, 'text/markdown; charset=utf-8', '2', policy, undefined, '# Title']);
    assert.equal((await notebook.request('GET', `/cells/${cell}/outputs/9/blob`)).status, 404);
    assert.equal((await notebook.request('GET', `/cells/${cell}/outputs/x/blob`)).status, 422);
  });
});

describe('deleting', () => {
  it('takes the directory away, by session or by path, and tells whoever watches', async () => {
    const notebook = await createTestNotebook(server, 'Gone');
    assert.deepEqual((await notebook.request('DELETE', '')).json, {
      deleted: true,
      session_id: notebook.sessionId,
      name: 'Gone',
      path: notebook.path,
    });
    assert.equal((await notebook.socket.frame(({ type }) => type === 'session_closed')).payload.reason, 'deleted');
    assert.equal(fs.existsSync(notebook.path), false);
    const other = await createTestNotebook(server, 'Gone Too');
    const byPath = (place: string) => server.rest.post('/v1/notebooks/delete-by-path', { json: { path: place } });
    assert.deepEqual((await byPath('gone_too')).json, { deleted: true, path: other.path });
    assert.deepEqual(
      [(await byPath('gone_too')).status, (await byPath('../..')).status, (await byPath('.')).status],
      [404, 400, 404],
    );
    assert.equal(fs.existsSync(path.join(server.home, '.svc/notebooks')), true);
  });
});

describe('quiesce', () => {
  it('lets what runs finish or cancels it, then refuses every run and write until released', async () => {
    const notebook = await createTestNotebook(server, 'Still');
    const slow = await notebook.add('import time\nprint("on", flush=True)\ntime.sleep(600)');
    const other = await notebook.add('1');
    const started = notebook.framesUntil(({ type }) => type === 'cell_console');
    const run = notebook.run(slow);
    await started;
    const held = Object(
      (await notebook.request('POST', '/quiesce', { timeout_seconds: 0.1, max_hold_seconds: 60 })).json,
    );
    assert.deepEqual(
      [held.path, held.notebooks, held.cancelled_cells],
      [notebook.path, [notebook.path], { [notebook.path]: [slow] }],
    );
    assert.ok(held.hold_expires_in_seconds > 50 && held.hold_expires_in_seconds <= 60);
    assert.equal((await run).error_code, 'cancelled');
    const refusals = await Promise.all([
      notebook.edit(other, '2'),
      notebook.request('POST', '/cells', {}),
      notebook.request('DELETE', `/cells/${other}`),
      notebook.request('POST', `/cells/${other}/execute`),
      notebook.request('PUT', '/name', { name: 'Other' }),
      notebook.request('DELETE', ''),
      notebook.request('POST', '/quiesce', {}),
      server.rest.post('/v1/projects/./quiesce'),
    ]);
    assert.deepEqual(
      refusals.map(({ status, json }) => [status, Object(json).detail.code]),
      refusals.map(() => [409, 'NOTEBOOK_QUIESCED']),
    );
    assert.equal((await notebook.state()).cells.length, 2);
    assert.deepEqual((await notebook.request('POST', '/release')).json, { path: notebook.path, released: true });
    assert.deepEqual((await notebook.request('POST', '/release')).json, { path: notebook.path, released: false });
    assert.equal((await notebook.edit(other, '2')).status, 200);
    const project = await server.rest.post('/v1/projects/still/quiesce', { json: { max_hold_seconds: 5 } });
    assert.deepEqual([project.status, Object(project.json).notebooks], [200, [notebook.path]]);
    assert.deepEqual((await server.rest.post('/v1/projects/still/release')).json, {
      path: notebook.path,
      released: true,
    });
    assert.deepEqual(
      [
        (await server.rest.post('/v1/projects/%2e%2e%2fup/quiesce')).status,
        (await server.rest.post('/v1/projects/still/other')).status,
      ],
      [400, 404],
    );
  });
});

describe('a shared server without a user for cells', () => {
  it('refuses to run them, and says what to set', async () => {
    await using shared = await startProxied();
    const headers = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write notebook:execute' });
    const created = await shared.rest.post('/v1/notebooks/create', {
      headers,
      json: { parent_path: '.', name: 'S', starter_cell: true },
    });
    const { session_id, cells } = Object(created.json);
    const at = `/v1/notebooks/${session_id}`;
    const socket = await openSocket(shared.address, `/v1/notebooks/ws/${session_id}`, headers);
    await socket.frame(({ type }) => type === 'environment_job_finished');
    await shared.rest.send('PUT', `${at}/cells/${cells[0].id}`, { headers, json: { source: '1' } });
    const run = Object((await shared.rest.post(`${at}/cells/${cells[0].id}/execute`, { headers })).json);
    assert.equal(run.status, 'error');
    assert.match(run.error, /set SVC_NOTEBOOK_HARNESS_USER/);
    socket.send('inspect_open', { cell_id: cells[0].id });
    const inspected = await socket.frame(({ type }) => type === 'inspect_result');
    assert.equal(inspected.payload.ok, false, 'a prompt is no way round');
    const reader = await openSocket(
      shared.address,
      `/v1/notebooks/ws/${session_id}`,
      asserted({ principal: 'eve', scopes: 'notebook:read' }),
    );
    reader.send('cell_execute', { cell_id: cells[0].id });
    assert.equal((await reader.frame(({ type }) => type === 'error')).payload.code, 'insufficient_scope');
    await assert.rejects(openSocket(shared.address, `/v1/notebooks/ws/${session_id}`), /refused with 403/);
  });
});

describe('a store that cannot be written', () => {
  it('fails the cell with the reason, and the session goes on', async () => {
    const notebook = await createTestNotebook(server, 'Broken Store');
    const cell = await notebook.add('x = 1\nx');
    const runs = path.join(notebook.path, '.svc/runs');
    fs.rmSync(runs, { recursive: true, force: true });
    fs.writeFileSync(runs, 'a file where runs have their folders');
    const failed = await notebook.run(cell);
    assert.equal(failed.status, 'error');
    assert.match(failed.error ?? '', /^The cell could not be run to its end: /);
    fs.rmSync(runs);
    assert.equal((await notebook.run(cell)).status, 'ready');
  });
});

describe('one notebook in two sessions of a shared server', () => {
  it('is one notebook: an edit in either is seen in both', async () => {
    await using shared = await startProxied();
    const as = (principal: string) => asserted({ principal, scopes: 'notebook:read notebook:write' });
    const created = await shared.rest.post('/v1/notebooks/create', {
      headers: as('ann'),
      json: { parent_path: '.', name: 'Both', starter_cell: true },
    });
    const { session_id: ann, path: place, cells } = Object(created.json);
    const opened = await shared.rest.post('/v1/notebooks/open', { headers: as('bob'), json: { path: place } });
    const { session_id: bob } = Object(opened.json);
    assert.notEqual(ann, bob);
    const again = await shared.rest.post('/v1/notebooks/open', { headers: as('bob'), json: { path: place } });
    assert.equal(Object(again.json).session_id, bob);
    const socket = await openSocket(shared.address, `/v1/notebooks/ws/${bob}`, as('bob'));
    const seen = socket.frame(
      ({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('by ann'),
    );
    await shared.rest.send('PUT', `/v1/notebooks/${ann}/cells/${cells[0].id}`, {
      headers: as('ann'),
      json: { source: 'x = "by ann"' },
    });
    await seen;
    const back = await openSocket(shared.address, `/v1/notebooks/ws/${ann}`, as('ann'));
    const added = back.frame(
      ({ type, payload }) => type === 'notebook_state' && Array.isArray(payload.cells) && payload.cells.length === 2,
    );
    await shared.rest.post(`/v1/notebooks/${bob}/cells`, { headers: as('bob'), json: {} });
    await added;
    const list = await shared.rest.get(`/v1/notebooks/${ann}/cells`, { headers: as('ann') });
    assert.deepEqual(
      Object(list.json).cells.map((cell: { source: string }) => cell.source),
      ['x = "by ann"', ''],
    );
  });
});
