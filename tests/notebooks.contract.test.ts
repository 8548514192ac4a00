// What clients of such services hold answers of the notebook routes against: keys, types of refusals, orders of checks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { frameProtocol, oldestFrameProtocol } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import type { Answer } from './kit/rest.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { type Frame, openSocket } from './kit/socket.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Contract');
});
after(() => server[Symbol.asyncDispose]());

/** The entries of a 422. */
const entries = ({ status, json }: Answer) => ({ status, entries: Object(json).detail });

describe('what is checked first', () => {
  it('is whether a body is JSON, then whether the session is there, then the schema', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await server.rest.send('PUT', '/v1/notebooks/nobody/timeout', { headers, body: '{"timeout":' });
    assert.equal(broken.status, 422);
    const unfit = await server.rest.send('PUT', '/v1/notebooks/nobody/timeout', { json: { timeout: -1 } });
    assert.deepEqual([unfit.status, unfit.json], [404, { detail: 'Notebook not found' }]);
  });

  it('a session that is not there is called so where sessions are asked for', async () => {
    const answer = await server.rest.get('/v1/notebooks/sessions/nobody');
    assert.deepEqual([answer.status, answer.json], [404, { detail: 'Session not found' }]);
  });

  it('is the hold on a notebook, before anything that is named in it', async () => {
    await notebook.request('POST', '/quiesce', {});
    const answer = await notebook.request('POST', '/variant-groups/none/variants');
    await notebook.request('POST', '/release');
    assert.deepEqual([answer.status, Object(answer.json).detail.code], [409, 'NOTEBOOK_QUIESCED']);
  });
});

describe('values that a check refuses', () => {
  it('are told with the words that such services put before the reason', async () => {
    assert.deepEqual(entries(await notebook.request('PUT', '/name', { name: '  ' })), {
      status: 422,
      entries: [
        {
          loc: ['body', 'name'],
          type: 'value_error',
          msg: 'Value error, Notebook name must not be blank',
          ctx: { error: {} },
        },
      ],
    });
  });

  it('a version of Python is major.minor', async () => {
    for (const python_version of ['3.13.1', 'v3.13', 'abc', '']) {
      const json = { parent_path: '.', name: 'Never', python_version };
      const created = await server.rest.post('/v1/notebooks/create', { json });
      const changed = await notebook.request('PUT', '/python-version', { python_version });
      for (const answer of [created, changed]) {
        const { status, entries: told } = entries(answer);
        assert.deepEqual([status, told[0].type, told[0].loc], [422, 'value_error', ['body', 'python_version']]);
      }
    }
  });

  it('one of a fixed set is an enum here, and a literal on the core routes', async () => {
    const cell = entries(await notebook.request('POST', '/cells', { language: 'cobol' })).entries[0];
    assert.deepEqual([cell.type, cell.loc], ['enum', ['body', 'language']]);
    const json = { name: 'gpu', backend: 'cloud' };
    const core = entries(await server.rest.post('/v1/admin/notebook-workers', { json })).entries[0];
    const expected = "'local' or 'executor'";
    assert.deepEqual(core, {
      loc: ['body', 'backend'],
      type: 'literal_error',
      msg: `Input should be ${expected}`,
      ctx: { expected },
    });
  });
});

describe('runtime settings', () => {
  it('no timeout at all is the system’s', async () => {
    await notebook.request('PUT', '/timeout', { timeout: 12.5 });
    const { status, json } = await notebook.request('PUT', '/timeout', {});
    assert.deepEqual([status, Object(json).timeout], [200, null]);
  });

  it('names of variables are trimmed; what no shell takes for a name, or spans lines, is refused', async () => {
    const given = await notebook.request('PUT', '/env', { env: { ' TRIMMED ': 't' } });
    assert.deepEqual(Object(given.json).env, { TRIMMED: 't' });
    for (const env of [{ '1A': 'x' }, { 'A-B': 'x' }, { '': 'x' }, { A: 'x\ny' }, { A: 'x\ry' }, { A: 'x\0' }]) {
      const { status, entries: told } = entries(await notebook.request('PUT', '/env', { env }));
      assert.deepEqual([status, told[0].type, told[0].loc], [422, 'value_error', ['body', 'env']]);
    }
    assert.deepEqual(Object((await notebook.state()).env), { TRIMMED: 't' });
    assert.deepEqual(Object((await notebook.request('PUT', '/env', {})).json).env, {});
  });
});

describe('answers', () => {
  it('of opening say how long the server took', async () => {
    const opened = await server.rest.post('/v1/notebooks/open', { json: { path: notebook.path } });
    const read = await server.rest.get(`/v1/notebooks/sessions/${notebook.sessionId}`);
    for (const { headers } of [opened, read]) assert.match(headers['server-timing'] ?? '', /^total;dur=\d+\.\d$/);
    assert.equal((await server.rest.get('/v1/notebooks/config')).headers['server-timing'], undefined);
  });

  it('of the list of sessions give times in UTC', async () => {
    const { sessions } = Object((await server.rest.get('/v1/notebooks/sessions')).json);
    for (const { created_at, updated_at } of sessions) {
      for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
  });

  it('the whole state over a socket says whether workers are shown', async () => {
    notebook.socket.send('notebook_sync');
    const { payload } = await notebook.socket.frame(({ type }) => type === 'notebook_state');
    assert.equal(payload.workers_panel, 'shown');
  });

  it('of workers name every key of their configuration, and what is sent back changes nothing', async () => {
    const config = { url: 'http://127.0.0.1:9', token: 'hidden', own: 1 };
    await notebook.request('PUT', '/workers', { workers: [{ name: 'gpu', backend: 'executor', config }] });
    const file = path.join(notebook.path, 'notebook.toml');
    const [written, { workers }] = [fs.readFileSync(file, 'utf8'), Object(await notebook.state())];
    const shown = { url: config.url, transport: null, svc_url: null, token_env: null, token: '__svc_masked__', own: 1 };
    assert.deepEqual(workers, [{ name: 'gpu', backend: 'executor', runtime_id: null, config: shown }]);
    const { configured_workers } = Object((await notebook.request('PUT', '/workers', { workers })).json);
    assert.deepEqual([configured_workers, fs.readFileSync(file, 'utf8')], [workers, written]);
    assert.deepEqual(Object((await notebook.request('PUT', '/workers', {})).json).configured_workers, []);
  });

  it('a worker of blanks is none, and names are trimmed', async () => {
    const chosen = async (worker: string | null): Promise<unknown> =>
      Object((await notebook.request('PUT', '/worker', { worker })).json).worker;
    assert.deepEqual([await chosen(' gpu '), await chosen('  '), await chosen(null)], ['gpu', null, null]);
    assert.equal((await notebook.request('PUT', '/worker', { worker: 'x'.repeat(201) })).status, 422);
  });

  it('of a deletion carry the groups with the graph', async () => {
    const cell = await notebook.add('gone = 1');
    const { dag } = Object((await notebook.request('DELETE', `/cells/${cell}`)).json);
    assert.deepEqual(dag.variant_groups, []);
  });

  it('downloads are named for every client', async () => {
    await notebook.request('PUT', '/name', { name: '😀' });
    const bundle = await notebook.request('GET', '/export');
    assert.equal(
      bundle.headers['content-disposition'],
      `attachment; filename="notebook.zip"; filename*=UTF-8''%F0%9F%98%80.zip`,
    );
    await notebook.request('PUT', '/name', { name: 'Été 1' });
    const { headers } = await notebook.request('GET', '/environment/requirements.txt');
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="t_1-requirements.txt"; filename*=UTF-8''%C3%89t%C3%A9%201-requirements.txt`,
    );
  });
});

describe('frames', () => {
  it('have a version: a page or program that is too old is told so and let go', async () => {
    const place = `/v1/notebooks/ws/${notebook.sessionId}`;
    const old = await openSocket(server.address, `${place}?protocol=${oldestFrameProtocol - 1}`);
    const { payload } = await old.frame(({ type }) => type === 'session_closed');
    assert.deepEqual(payload, {
      reason: 'client_too_old',
      message: 'The server is newer than this page or program. Reload the page, or update the program.',
    });
    assert.equal(await old.closed, 1000);
    const now = await openSocket(server.address, `${place}?protocol=${frameProtocol}`);
    now.send('notebook_sync');
    const state = await now.frame(({ type }) => type === 'notebook_state');
    assert.equal(state.payload.protocol_version, frameProtocol);
    now.close();
  });

  it('an edit of a cell that is not there moves nobody’s focus', async () => {
    const told = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.send('cell_source_update', { cell_id: 'nowhere', source: 'x', author: 'a ghost' });
    const present = (await told).filter(({ type }) => type === 'presence');
    assert.doesNotMatch(JSON.stringify(present), /a ghost/);
  });

  it('a run that is cancelled leaves its cell idle, and then as what is still true of it', async () => {
    const cell = await notebook.add('import time\ntime.sleep(0.5)\n7');
    const isStatus = ({ type, payload }: Frame): boolean => type === 'cell_status' && payload.cell_id === cell;
    await notebook.run(cell);
    await notebook.socket.frame((frame) => isStatus(frame) && frame.payload.status === 'ready');
    const ended = notebook.framesUntil((frame) => isStatus(frame) && frame.payload.status === 'ready');
    const started = notebook.framesUntil((frame) => isStatus(frame) && frame.payload.status === 'running');
    notebook.socket.send('cell_execute_force', { cell_id: cell });
    await started;
    notebook.socket.send('cell_cancel', { cell_id: cell });
    assert.deepEqual(
      (await ended).filter(isStatus).map(({ payload }) => payload.status),
      ['running', 'idle', 'ready'],
    );
  });

  it('a confirmation without its prompt says what is missing', async () => {
    const told = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.send('read_confirm', {});
    assert.deepEqual((await told).at(-1)?.payload, { error: 'Missing prompt_id' });
  });

  it('a reader whose input changed is told which version it read, and which is there now', async () => {
    const [first, second] = [await notebook.add('given = 1'), await notebook.add('given + 1')];
    await notebook.run(second);
    await notebook.edit(first, 'given = 2');
    await notebook.run(first);
    const { status, causality } = await notebook.cell(second);
    assert.deepEqual(
      [status, causality],
      [
        'stale',
        {
          reason: 'upstream',
          details: [{ type: 'input_changed', cell_id: first, cell_name: 'given', from_version: 1, to_version: 2 }],
        },
      ],
    );
  });

  it('a profile counts the bytes that the notebook keeps', async () => {
    notebook.socket.send('profiling_request');
    const { payload } = await notebook.socket.frame(({ type }) => type === 'profiling_summary');
    assert.ok(Number(payload.total_artifact_bytes) > 0);
  });

  it('and says of the last run of each cell when it ended, what it stored, and what its process took at most', async () => {
    const began = Date.now();
    const id = await notebook.add('weight = bytearray(200_000_000)\nlist(range(100))');
    await notebook.run(id);
    notebook.socket.send('profiling_request');
    const { payload } = await notebook.socket.frame(
      ({ type, payload }) => type === 'profiling_summary' && JSON.stringify(payload).includes(id),
    );
    const profiles = z
      .array(z.object({ cell_id: z.string(), ended_at: z.number().nullable(), stored_bytes: z.number() }).loose())
      .parse(payload.cell_profiles);
    const found = profiles.find(({ cell_id }) => cell_id === id);
    assert.ok(Number(found?.ended_at) >= began);
    assert.ok(Number(found?.stored_bytes) > 100);
    assert.ok(Number(found?.peak_memory_bytes) > 200_000_000, `${found?.peak_memory_bytes}`);
    await notebook.request('DELETE', `/cells/${id}`);
  });
});

describe('results', () => {
  it('lie where other accounts of the machine cannot read them', () => {
    const modeOf = (place: string): string => (fs.statSync(path.join(notebook.path, place)).mode & 0o777).toString(8);
    assert.deepEqual([modeOf('.svc'), modeOf('.svc/artifacts')], ['711', '700']);
  });

  it('an error without a message is told by its type', async () => {
    const cell = await notebook.add('assert False');
    assert.equal((await notebook.run(cell)).error, 'AssertionError');
  });
});

describe('a run whose upstream fails', () => {
  it('says which cell it was', async () => {
    const first = await notebook.add('upper = 1 / 0');
    const second = await notebook.add('upper + 1');
    const { status, error } = await notebook.run(second);
    assert.deepEqual([status, error], ['error', `Upstream cell ${first} failed: ZeroDivisionError: division by zero`]);
  });
});

describe('numbers to the last digit', () => {
  it('a pinned snapshot is shown as it is written', async () => {
    const cell = await notebook.add('# @table trips lake:nyc.trips snapshot=8934325053937453977\nx = 1');
    const { text } = await notebook.request('GET', '/cells');
    assert.match(text, /"snapshot_pin":8934325053937453977\b/);
    await notebook.request('DELETE', `/cells/${cell}`);
  });

  it('a table is filtered by integers that no float holds, sent as number or as text', async () => {
    const cell = await notebook.add('import pyarrow as pa\npa.table({"i": [2**60 + 1, 2**60, 5]})');
    const { display } = await notebook.run(cell);
    for (const value of ['1152921504606846977', '"1152921504606846977"']) {
      const query = new URLSearchParams({
        artifact_uri: String(display?.artifact_uri),
        filters: `[{"col":"i","op":"eq","value":${value}}]`,
      });
      const { rows, total } = Object((await notebook.request('GET', `/cells/${cell}/data?${query}`)).json);
      assert.deepEqual([rows, total], [[['1152921504606846977']], 1], value);
    }
  });
});

describe('a notebook whose folder was replaced by another', () => {
  it('is opened as what it is now, and the old session ends as deleted', async () => {
    const old = await createTestNotebook(server, 'Replaced');
    fs.rmSync(old.path, { recursive: true, maxRetries: 20 });
    fs.mkdirSync(path.join(old.path, 'cells'), { recursive: true });
    fs.writeFileSync(path.join(old.path, 'notebook.toml'), 'notebook_id = "another"\nname = "Another"\n');
    const opened = await openTestNotebook(server, old.path);
    const { id, name } = await opened.state();
    assert.deepEqual([id, name], ['another', 'Another']);
    assert.notEqual(opened.sessionId, old.sessionId);
    assert.equal(await old.socket.closed, 1000);
    assert.equal(old.socket.frames.at(-1)?.payload.reason, 'deleted');
  });
});
