// Gates that need routes this version does not have yet: the real application, with such routes added by the test.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { anyCaller, needs } from '../src/http/access.ts';
import { createApp } from '../src/http/app.ts';
import type { App } from '../src/http/index.ts';
import { identified } from '../src/identity/index.ts';
import { createServices, type Parts } from '../src/server/index.ts';
import { loadSettings } from '../src/settings/index.ts';
import { newHome } from './kit/server.ts';
import { asserted, proxyEnvironment } from './kit/service.ts';

describe('the gates of a multi-tenant service', () => {
  const home = newHome();
  let parts: Parts;
  let app: App;
  const opened = { one: '', none: '' };

  before(async () => {
    const { settings } = loadSettings({
      env: {
        ...proxyEnvironment,
        HOME: home,
        SVC_MULTI_TENANT_ENABLED: 'true',
        SVC_DISABLED_TENANTS: 't8, t9',
        SVC_LOG_LEVEL: 'CRITICAL',
      },
      cwd: home,
    });
    parts = await createServices(settings);
    app = createApp(parts);
    const look = { config: needs('notebook:read'), schema: { hide: true } };
    app.get('/v1/notebooks/:session_id/look', look, async () => ({ reached: true }));
    const [python] = await parts.pythons();
    assert.ok(python);
    for (const [name, tenant] of [
      ['one', 't1'],
      ['none', null],
    ] as const) {
      const { sessionId } = await parts.sessions.create(
        home,
        { name, pythonVersion: python.version },
        identified('ann', tenant, []),
      );
      opened[name] = sessionId;
    }
  });
  after(async () => {
    await app.close();
    await parts.close();
    fs.rmSync(home, { recursive: true, force: true });
  });

  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, caller?: Parameters<typeof asserted>[0]) => {
    const { statusCode, body } = await app.inject({ method, url, headers: caller ? asserted(caller) : {} });
    return [statusCode, JSON.parse(body)];
  };
  const reached = [200, { reached: true }];
  const notFound = [404, { detail: 'Notebook not found' }];
  const unauthorized = [401, { detail: 'Unauthorized' }];
  const scopes = 'notebook:read notebook:write';

  it('rule 1: signed transport and public publications ask for no identity', async () => {
    assert.deepEqual(await ask('POST', '/v1/builds/b/finalize?signature=s&expires_at=1'), [
      403,
      { detail: 'The signature of this address is wrong, or its time is over' },
    ]);
    assert.deepEqual(await ask('POST', '/v1/builds/b/finalize?signature=s'), unauthorized);
    assert.deepEqual(await ask('GET', '/v1/publications/abc'), [404, { detail: 'No such publication' }]);
    assert.deepEqual(await ask('DELETE', '/v1/publications/abc'), unauthorized);
    assert.deepEqual(await ask('GET', '/v1/publications'), unauthorized);
  });

  it('rule 7: a session is there only for its own tenant and admin:*', async () => {
    const cells = (sessionId: string, caller: Parameters<typeof asserted>[0]) =>
      ask('GET', `/v1/notebooks/${sessionId}/look`, caller);
    assert.deepEqual(await cells(opened.one, { principal: 'ann', scopes, tenant: 't1' }), reached);
    assert.deepEqual(await cells(opened.one, { principal: 'ann', scopes, tenant: 't2' }), notFound);
    assert.deepEqual(await cells(opened.one, { principal: 'ann', scopes }), notFound);
    assert.deepEqual(await cells(opened.none, { principal: 'ann', scopes }), reached);
    assert.deepEqual(await cells(opened.none, { principal: 'ann', scopes, tenant: 't1' }), notFound);
    assert.deepEqual(await cells(opened.one, { principal: 'root', scopes: 'admin:*' }), reached);
    assert.deepEqual(await cells('gone', { principal: 'root', scopes: 'admin:*' }), notFound);
  });

  it('rule 8: no application starts with a route that nobody classified, and all of them are named', async () => {
    const other = createApp(parts);
    const silent = { schema: { hide: true } };
    other.post('/v1/notebooks/:session_id/anything', silent, async () => ({}));
    other.get('/v1/anything', silent, async () => ({}));
    await assert.rejects(async () => other.ready(), {
      message:
        'These routes do not say who may ask for them; give each a config from http/access.ts: ' +
        'POST /v1/notebooks/:session_id/anything, GET /v1/anything, HEAD /v1/anything',
    });
  });

  it('rule 5: deleting a session is for personal mode alone', async () => {
    const refused = [403, { detail: 'Notebook session APIs are only available in personal mode' }];
    assert.deepEqual(
      await ask('DELETE', `/v1/notebooks/${opened.one}`, { principal: 'root', scopes: 'admin:*' }),
      refused,
    );
  });

  it('artifact routes of personal mode are refused to everyone, under their stable name', async () => {
    const [status, { detail }] = await ask('GET', '/v1/artifacts', { principal: 'root', scopes: 'admin:*' });
    assert.deepEqual([status, detail.error], [403, 'writes_disabled']);
  });

  it('rule 2: a run’s token reaches its own routes and no other', async () => {
    const run = parts.runTokens.mint({
      caller: { authenticated: true, principal: 'ann', tenant: 't1', scopes: new Set(['admin:*']) },
      sessionId: 's1',
      seconds: 10,
    });
    const withToken = async (method: 'GET' | 'POST', url: string) => {
      const { statusCode, body } = await app.inject({
        method,
        url,
        headers: { ...asserted({ principal: 'root', scopes: 'admin:*' }), 'x-svc-run-token': run.token },
        payload: {},
      });
      return [statusCode, Object(JSON.parse(body)).detail];
    };
    assert.deepEqual(await withToken('GET', '/v1/logs'), [403, "A cell's run token does not reach this route"]);
    assert.equal((await withToken('POST', '/v1/materialize'))[0], 422);
    run.end();
    assert.deepEqual(await withToken('POST', '/v1/materialize'), [401, 'Unauthorized']);
  });

  it('a tenant that is shut out gets 403 in plain text', async () => {
    const { statusCode, body, headers } = await app.inject({
      url: '/v1/config/timeouts',
      headers: asserted({ principal: 'ann', tenant: 't9' }),
    });
    assert.deepEqual(
      [statusCode, body, headers['content-type'], headers['x-tenant-id']],
      [403, "Tenant 't9' is not enabled", 'text/plain; charset=utf-8', 't9'],
    );
  });

  it('a table route answers 503 with Retry-After while the engine is being prepared', async () => {
    const reason = 'its Python packages are being installed';
    const waiting = {
      current: () => ({ state: 'preparing', reason }) as const,
      settled: () => assert.fail(),
      close: () => {},
    };
    const other = await createApp({ ...parts, engine: waiting });
    const payload = { inputs: ['/wh#db.t'], transform: { executor: 'scan@v1' } };
    const headers = asserted({ principal: 'ann' });
    const {
      statusCode,
      body,
      headers: answered,
    } = await other.inject({ method: 'POST', url: '/v1/materialize', headers, payload });
    assert.deepEqual(
      [statusCode, JSON.parse(body), answered['retry-after']],
      [503, { detail: `The data engine is not ready yet: ${reason}` }, '5'],
    );
    const health = await other.inject({ url: '/health' });
    assert.equal(health.statusCode, 200);
    await other.close();
  });

  it('an error that nobody foresaw is a logged 500 that gives nothing away', async () => {
    const logged: unknown[] = [];
    const log = { ...parts.log, error: (...said: unknown[]) => void logged.push(said) };
    const other = createApp({ ...parts, log });
    const fault = new Error('the password is hunter2');
    other.get('/v1/broken', { config: anyCaller(), schema: { hide: true } }, async () => {
      throw fault;
    });
    const { statusCode, body, headers } = await other.inject({
      url: '/v1/broken',
      headers: { ...asserted({ principal: 'ann' }), 'x-request-id': 'r1' },
    });
    assert.deepEqual(
      [statusCode, body, headers['content-type']],
      [500, 'Internal Server Error', 'text/plain; charset=utf-8'],
    );
    // Under this name the log keeps it as the record's exception.
    assert.deepEqual(logged, [
      ['Request failed', { error: fault, request_id: 'r1', method: 'GET', path: '/v1/broken' }],
    ]);
    await other.close();
  });
});
