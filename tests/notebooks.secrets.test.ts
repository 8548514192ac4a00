// A notebook whose secrets come from a secret manager, against a small server that answers as it does.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';

const masked = '__svc_masked__';

describe('a secret manager', () => {
  it('fills what the notebook leaves open, and its values are seen by cells alone', async (t) => {
    const asked: string[] = [];
    let isDown = false;
    let secrets = [
      { secretKey: 'WORD', secretValue: 'planted-one' },
      { secretKey: 'OWN', secretValue: 'planted-two' },
    ];
    const manager = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
      if (isDown) return void response.writeHead(503).end('planted-three');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.method === 'POST' ? { accessToken: 'tok123' } : { secrets }));
    });
    await new Promise<void>((resolve) => manager.listen(0, '127.0.0.1', resolve));
    t.after(() => manager.close());
    const address = manager.address();
    assert.ok(address !== null && typeof address === 'object');
    const host = `http://127.0.0.1:${address.port}`;
    await using server = await startServer({
      env: { INFISICAL_HOST: host, INFISICAL_CLIENT_ID: 'cid', INFISICAL_CLIENT_SECRET: 'csec' },
    });
    const notebook = await createTestNotebook(server, 'Secrets');
    await notebook.request('PUT', '/env', { env: { OWN: 'by hand', SOME_KEY: '' } });
    const config = { provider: 'infisical', project_id: 'proj1', environment: 'prod', path: '/a' };
    const put = Object((await notebook.request('PUT', '/secret-manager/config', config)).json);
    const { cells: _, env_fetched_at: at, ...answer } = put;
    assert.deepEqual(answer, {
      env: { OWN: 'by hand', SOME_KEY: '', WORD: masked },
      env_sources: { OWN: 'manual', SOME_KEY: 'manual', WORD: 'infisical' },
      env_fetch_error: null,
      secret_manager_config: config,
    });
    assert.match(at, /^\d{4}-.*Z$/);
    assert.deepEqual(asked, [
      'POST /api/v1/auth/universal-auth/login',
      'GET /api/v3/secrets/raw?workspaceId=proj1&environment=prod&secretPath=%2Fa&viewSecretValue=true&expandSecretReferences=true&recursive=false&include_imports=true Bearer tok123',
    ]);
    const cell = await notebook.add('import os\nf"{len(os.environ["WORD"])} {os.environ["OWN"]}"');
    const length = async (): Promise<unknown> => {
      const { display, error, cache_hit } = await notebook.run(cell);
      return error ?? [display?.preview, cache_hit];
    };
    assert.deepEqual(await length(), ['11 by hand', false]);

    secrets = [{ secretKey: 'WORD', secretValue: 'planted-longer' }];
    assert.equal((await notebook.request('POST', '/secret-manager/refresh')).status, 200);
    assert.deepEqual(await length(), ['14 by hand', false]);

    isDown = true;
    const down = Object((await notebook.request('POST', '/secret-manager/refresh')).json);
    assert.equal(down.env_fetch_error, 'The secret manager answered 503 to /api/v1/auth/universal-auth/login');
    assert.deepEqual(await length(), ['14 by hand', true], 'what was fetched before still counts');
    isDown = false;

    const told = async (given: object): Promise<unknown> =>
      Object((await notebook.request('PUT', '/secret-manager/config', given)).json).env_fetch_error;
    assert.equal(await told({ provider: 'vault' }), "Unknown secret provider: 'vault'");
    assert.match(
      String(await told({ ...config, base_url: 'http://169.254.169.254' })),
      /not the secret manager of this server/,
    );
    assert.equal(await told({ ...config, base_url: `${host}/` }), null);

    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(server, notebook.path);
    const state = await reopened.state();
    assert.deepEqual([Object(state.env).WORD, Object(state.env_sources).WORD], [masked, 'infisical']);
    assert.equal(
      await fs.readFile(path.join(notebook.path, 'notebook.toml'), 'utf8').then((text) => /planted/.test(text)),
      false,
    );
    assert.doesNotMatch(JSON.stringify([state, put, down]) + server.output(), /planted|csec|tok123/);

    const removed = Object((await reopened.request('PUT', '/secret-manager/config', {})).json);
    assert.deepEqual([removed.secret_manager_config, removed.env.WORD, removed.env_fetched_at], [{}, undefined, null]);
  });
});
