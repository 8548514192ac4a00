// Without a network: what uv has in its cache still installs, everything else fails with uv's reason, and cells run with what
// is here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { environmentBody } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { newHome, runSvc, startServer } from './kit/server.ts';

const nobodyThere = 'http://127.0.0.1:9/simple';

describe('without a network', () => {
  it('cached packages install, others fail with the reason, and nothing is lost', async () => {
    const home = newHome();
    const cache = { UV_CACHE_DIR: path.join(home, 'cache'), UV_HTTP_RETRIES: '0' };
    // The same address throughout: uv keeps packages by where they came from.
    const packages = Object.fromEntries(
      ['pyarrow', 'orjson', 'cloudpickle', 'cached', 'missing'].map((name) => [name, { '99.0': [] }]),
    );
    const index = await startPackageIndex(packages);
    const env = { ...cache, UV_DEFAULT_INDEX: index.env.UV_INDEX ?? '' };
    const online = await startServer({ home, env });
    const { path: place, request, sessionId } = await createTestNotebook(online, 'Online');
    const added = await request('POST', '/dependencies', { package: 'cached' });
    assert.equal(added.status, 200, added.text);
    await online.rest.post(`/v1/notebooks/${sessionId}/close`);
    await online.stop();
    await index[Symbol.asyncDispose]();

    const offline = await startServer({ home, env });
    const reopened = await openTestNotebook(offline, place);
    const { environment } = environmentBody.parse((await reopened.request('GET', '/environment')).json);
    assert.deepEqual([environment.sync_state, environment.sync_error], ['ready', null]);

    const other = await createTestNotebook(offline, 'Offline');
    assert.equal((await other.state()).environment.sync_state, 'ready');
    const known = await other.request('POST', '/dependencies', { package: 'cached' });
    assert.equal(known.status, 200, known.text);
    assert.match(Object(known.json).operation_log.stderr, /cannot be reached; trying with what is in the cache/);
    const before = fs.readFileSync(path.join(other.path, 'pyproject.toml'), 'utf8');
    const unknown = await other.request('POST', '/dependencies', { package: 'missing' });
    assert.equal(unknown.status, 400);
    assert.match(Object(unknown.json).detail.message, /Failed to fetch|error sending request/);
    assert.equal(fs.readFileSync(path.join(other.path, 'pyproject.toml'), 'utf8'), before);
    assert.equal((await other.request('POST', '/cells', {})).status, 200);
    await offline.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it('a new notebook runs cells, says what is missing, and is whole when an index is there', async () => {
    const home = newHome();
    const packages = Object.fromEntries(['pyarrow', 'orjson', 'cloudpickle'].map((name) => [name, { '99.0': [] }]));
    const before = await startPackageIndex(packages);
    const address = before.env.UV_INDEX ?? '';
    await before[Symbol.asyncDispose]();
    const env = { UV_CACHE_DIR: path.join(home, 'cache'), UV_DEFAULT_INDEX: address, UV_HTTP_RETRIES: '0' };
    await using server = await startServer({ home, env });
    const notebook = await createTestNotebook(server, 'Nothing');
    const read = async () => environmentBody.parse((await notebook.request('GET', '/environment')).json).environment;
    const alone = await read();
    assert.deepEqual([alone.sync_state, alone.has_lockfile, alone.interpreter_source], ['ready', false, 'venv']);
    assert.match(alone.sync_error ?? '', /^No package index can be reached.*uv sync failed: .*Failed to fetch/s);
    const [told] = notebook.socket.frames.filter(({ type }) => type === 'environment_job_finished');
    // Where the socket was late, the state that it began with said so.
    assert.deepEqual(told ? Object(told.payload).environment : alone, alone);
    const first = await notebook.add('x = {"a": [1, 2]}\ndef twice(n):\n    return 2 * n');
    const second = await notebook.add('sum(x["a"]) + twice(4)');
    assert.equal((await notebook.run(first)).status, 'ready');
    assert.equal((await notebook.run(second)).status, 'ready');
    assert.equal(await notebook.statuses(), 'ready ready');
    assert.equal(fs.existsSync(path.join(notebook.path, 'uv.lock')), false);
    const failed = environmentBody.parse((await notebook.request('POST', '/environment/sync')).json);
    assert.deepEqual(
      [failed.environment_job?.status, failed.environment.lockfile_hash],
      ['failed', alone.lockfile_hash],
    );
    assert.equal(await notebook.statuses(), 'ready ready');

    await using _index = await startPackageIndex(packages, { port: Number(new URL(address).port) });
    const synced = await notebook.request('POST', '/environment/sync');
    assert.equal(synced.status, 200, synced.text);
    const whole = await read();
    assert.deepEqual([whole.sync_state, whole.sync_error, whole.has_lockfile], ['ready', null, true]);
    assert.notEqual(whole.lockfile_hash, alone.lockfile_hash);
    assert.equal(await notebook.statuses(), 'idle stale');
    assert.doesNotMatch(fs.readFileSync(path.join(notebook.path, 'uv.lock'), 'utf8'), /svc-makeshift|\.tools/);
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it('a command runs the cells of a notebook that it cannot install packages for', async () => {
    const home = newHome();
    const env = { UV_CACHE_DIR: path.join(home, 'cache'), UV_DEFAULT_INDEX: nobodyThere, UV_HTTP_RETRIES: '0' };
    const made = await runSvc(['new', 'Alone', '--parent', home], { home, env });
    assert.equal(made.code, 0, made.stderr);
    const directory = path.join(home, 'alone');
    fs.writeFileSync(path.join(directory, 'cells/a.py'), 'print(40 + 2)\n');
    const notebook = path.join(directory, 'notebook.toml');
    const cells = 'cells = [{ id = "a", file = "a.py", language = "python", order = 0 }]';
    fs.writeFileSync(notebook, fs.readFileSync(notebook, 'utf8').replace('cells = []', cells));
    const ran = await runSvc(['run', directory, '--format', 'human'], { home, env });
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    assert.match(ran.stderr, /^warning: No package index can be reached/m);
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
});
