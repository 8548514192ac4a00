// Without a network: what uv has in its cache still installs, everything else fails with uv's reason, and the notebook stays
// readable and editable.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { environmentBody } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { newHome, startServer } from './kit/server.ts';

const nobodyThere = 'http://127.0.0.1:9/simple';

describe('without a network', () => {
  it('cached packages install, others fail with the reason, and nothing is lost', { timeout: 120_000 }, async () => {
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

  it('a new notebook says what failed and can be edited', { timeout: 120_000 }, async () => {
    const home = newHome();
    const env = { UV_CACHE_DIR: path.join(home, 'cache'), UV_DEFAULT_INDEX: nobodyThere, UV_HTTP_RETRIES: '0' };
    await using server = await startServer({ home, env });
    const notebook = await createTestNotebook(server, 'Nothing');
    const { environment } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    assert.equal(environment.sync_state, 'failed');
    assert.match(environment.sync_error ?? '', /uv sync failed: .*Failed to fetch/s);
    const cell = await notebook.add('1 + 1');
    assert.equal((await notebook.cell(cell)).source, '1 + 1');
    assert.equal(fs.existsSync(path.join(notebook.path, 'uv.lock')), false);
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
});
