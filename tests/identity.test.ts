// The rules of authentication, one by one, against real servers. Each test fails when its rule is taken away.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newHome, runSvc, startServer, type TestServer } from './kit/server.ts';
import { asserted, type KeyServer, proxyEnvironment, startProxied, startWithKeys } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';

describe('rule 1: every /v1 route asks for an identity', () => {
  let proxied: TestServer;
  before(async () => {
    proxied = await startProxied();
  });
  after(() => proxied[Symbol.asyncDispose]());

  it('refuses routes of the API, the documentation and the web app', async () => {
    const paths = [
      '/v1/config/timeouts',
      '/v1/notebooks/discover',
      '/v1/unknown',
      '/docs',
      '/openapi.json',
      '/',
      '/metrics/tables',
    ];
    const answers = await Promise.all(paths.map((place) => proxied.rest.get(place)));
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json]),
      paths.map(() => [401, { detail: 'Unauthorized' }]),
    );
  });

  it('leaves health and metrics open', async () => {
    const paths = ['/health', '/health/ready', '/health/dependencies', '/metrics', '/metrics/prometheus'];
    const answers = await Promise.all(paths.map((place) => proxied.rest.get(place)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
  });

  it('tells whoever has no key nothing of where its folders lie', async () => {
    const answers = await Promise.all(
      ['/health/ready', '/health/dependencies'].map((place) => proxied.rest.get(place)),
    );
    const told = JSON.stringify(answers.map(({ json }) => json));
    assert.deepEqual(
      [...told.matchAll(/"(\/[^"]*)"/g)].map(([, place]) => place),
      [],
    );
  });

  it('knows routes by what they match, not by how the path is spelled', async () => {
    const spellings = [
      '/health/../v1/config/timeouts',
      '/v1/config/timeouts?signature=x&expires_at=1',
      '//v1/config/timeouts',
      '/v1/config/%74imeouts',
    ];
    const answers = await Promise.all(spellings.map((place) => proxied.rest.get(place)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401, 401, 401],
    );
  });

  it('takes the identity that the proxy asserts', async () => {
    const headers = asserted({ principal: 'ann' });
    assert.equal((await proxied.rest.get('/v1/config/timeouts', { headers })).status, 200);
  });
});

describe('rule 3: missing, wrong and insufficient credentials', () => {
  let proxied: TestServer;
  before(async () => {
    proxied = await startProxied();
  });
  after(() => proxied[Symbol.asyncDispose]());

  const cases: [name: string, headers: Record<string, string | string[]>, detail: string][] = [
    ['no proxy token', { 'x-svc-principal': 'ann' }, 'Unauthorized'],
    ['a wrong proxy token', { ...asserted({ principal: 'ann' }), 'x-svc-proxy-token': 'guess' }, 'Unauthorized'],
    ['an empty proxy token', { ...asserted({ principal: 'ann' }), 'x-svc-proxy-token': '' }, 'Unauthorized'],
    ['the proxy token twice', { ...asserted({ principal: 'ann' }), 'x-svc-proxy-token': ['a', 'b'] }, 'Unauthorized'],
    [
      'no principal',
      { 'x-svc-proxy-token': asserted({ principal: 'ann' })['x-svc-proxy-token'] ?? '' },
      'Missing principal header',
    ],
    [
      'two principals',
      { ...asserted({ principal: 'ann' }), 'x-svc-principal': ['ann', 'root'] },
      'Missing principal header',
    ],
  ];
  for (const [name, headers, detail] of cases) {
    it(`answers 401 to ${name}`, async () => {
      const { status, json } = await proxied.rest.get('/v1/config/timeouts', { headers });
      assert.deepEqual([status, json], [401, { detail }]);
    });
  }

  it('names the scope that is missing', async () => {
    const headers = asserted({ principal: 'ann', scopes: 'notebook:read\tartifacts:write' });
    const { status, json } = await proxied.rest.get('/v1/logs', { headers });
    assert.deepEqual([status, json], [403, { detail: 'This route requires the admin:* scope' }]);
  });

  it('splits scopes on white space only, and knows no wildcard but admin:*', async () => {
    const ask = async (scopes: string) =>
      (await proxied.rest.get('/v1/notebooks/discover', { headers: asserted({ principal: 'ann', scopes }) })).status;
    assert.deepEqual(
      [await ask('a  notebook:read'), await ask('notebook:read,a'), await ask('notebook:*'), await ask('admin:*')],
      [200, 403, 403, 200],
    );
  });
});

describe('rule 4: without principal auth the gates stand open', () => {
  it('asks a personal server for nothing, and reads no identity headers', async () => {
    await using server = await startServer();
    const answers = await Promise.all([
      server.rest.get('/v1/logs'),
      server.rest.get('/v1/admin/tenants', { headers: { 'x-svc-principal': 'nobody', 'x-svc-scopes': 'none' } }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });
});

describe('rules 5 and 6: personal-only routes, and discovery in service mode', () => {
  let proxied: TestServer;
  before(async () => {
    const home = newHome();
    proxied = await startServer({ home, env: { ...proxyEnvironment, SVC_MULTI_TENANT_ENABLED: 'true' } });
    for (const [folder, id] of [
      ['t1/mine', 'nb1'],
      ['t2/theirs', 'nb2'],
      ['_default/shared', 'nb3'],
    ]) {
      const place = path.join(home, '.svc/notebooks', folder ?? '');
      fs.mkdirSync(place, { recursive: true });
      fs.writeFileSync(path.join(place, 'notebook.toml'), `notebook_id = "${id}"\nname = "N"\n`);
    }
  });
  after(async () => {
    await proxied[Symbol.asyncDispose]();
    fs.rmSync(proxied.home, { recursive: true, force: true });
  });

  it('refuses session listings to everyone', async () => {
    const headers = asserted({ principal: 'root', scopes: 'admin:*' });
    const { status, json } = await proxied.rest.get('/v1/notebooks/sessions', { headers });
    assert.deepEqual([status, json], [403, { detail: 'Notebook session APIs are only available in personal mode' }]);
  });

  it('confines discovery to the tenant’s folder, and lets admin:* see all', async () => {
    const root = path.join(proxied.home, '.svc/notebooks');
    const discover = async (scopes: string, tenant?: string) => {
      const caller = { principal: 'ann', scopes, ...(tenant === undefined ? {} : { tenant }) };
      return (await proxied.rest.get('/v1/notebooks/discover', { headers: asserted(caller) })).json;
    };
    const found = (folder: string, id: string) => ({
      path: path.join(root, folder),
      name: 'N',
      notebook_id: id,
      updated_at: null,
    });
    assert.deepEqual(await discover('notebook:read', 't1'), {
      root: path.join(root, 't1'),
      notebooks: [found('t1/mine', 'nb1')],
    });
    assert.deepEqual(await discover('notebook:read'), {
      root: path.join(root, '_default'),
      notebooks: [found('_default/shared', 'nb3')],
    });
    assert.deepEqual(await discover('admin:*', 't1'), {
      root,
      notebooks: [found('_default/shared', 'nb3'), found('t1/mine', 'nb1'), found('t2/theirs', 'nb2')],
    });
  });
});

describe('rule 9: API keys', () => {
  let server: KeyServer;
  before(async () => {
    server = await startWithKeys();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    fs.rmSync(server.home, { recursive: true, force: true });
  });
  const ask = (key: string, place = '/v1/config/timeouts') =>
    server.rest.get(place, { headers: { authorization: `Bearer ${key}` } });

  it('admits a key made beside the running server, and refuses it from the moment it is revoked', async () => {
    const key = await server.createKey('ann', '--scope', 'notebook:read', '--description', 'laptop');
    assert.match(key, /^svc_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/);
    assert.equal((await ask(key)).status, 200);
    assert.equal((await ask(key, '/v1/notebooks/discover')).status, 200);
    assert.deepEqual((await ask(key, '/v1/logs')).json, { detail: 'This route requires the admin:* scope' });
    const keyId = key.split('_')[1] ?? '';
    assert.deepEqual(await server.svc('apikey', 'revoke', keyId), {
      code: 0,
      stdout: `Revoked ${keyId}.\n`,
      stderr: '',
    });
    const refused = await ask(key);
    assert.deepEqual([refused.status, refused.json], [401, { detail: 'Unauthorized' }]);
    assert.deepEqual(await server.svc('apikey', 'revoke', keyId), {
      code: 1,
      stdout: `No live key ${keyId}.\n`,
      stderr: '',
    });
  });

  it('lists keys without their secrets', async () => {
    const key = await server.createKey(
      'lister',
      '--tenant',
      't1',
      '--scope',
      'b',
      '--scope',
      'a',
      '--expires-in-days',
      '2',
    );
    const { stdout } = await server.svc('apikey', 'list', '--principal', 'lister', '--format', 'json');
    const [record] = JSON.parse(stdout);
    const { key_id, created_at, expires_at, ...rest } = record;
    assert.deepEqual(rest, {
      principal_id: 'lister',
      tenant: 't1',
      scopes: ['a', 'b'],
      description: null,
      revoked_at: null,
      last_used_at: null,
      active: true,
    });
    assert.equal(key.startsWith(`svc_${key_id}_`), true);
    assert.equal(Math.round(expires_at - created_at), 172_800);
    assert.equal(stdout.includes(key.split('_').slice(2).join('_')), false);
  });

  it('stores only a hash of the secret', async () => {
    const key = await server.createKey('hashed');
    const files = fs
      .readdirSync(path.join(server.home, 'artifacts'))
      .filter((file) => file.startsWith('artifacts.sqlite'));
    const stored = files.map((file) => fs.readFileSync(path.join(server.home, 'artifacts', file), 'latin1')).join('');
    assert.equal(stored.includes('hashed'), true);
    assert.equal(stored.includes(key.split('_').slice(2).join('_')), false);
  });

  const malformed: [name: string, header: string | undefined, detail: string][] = [
    ['no header', undefined, 'Missing or malformed Authorization header'],
    ['another scheme', 'Basic YTpi', 'Missing or malformed Authorization header'],
    ['an empty bearer', 'Bearer ', 'Missing or malformed Authorization header'],
    ['a value that is no key', 'Bearer nonsense', 'Unauthorized'],
    ['an unknown key', `Bearer svc_${'0'.repeat(32)}_${'A'.repeat(43)}`, 'Unauthorized'],
  ];
  for (const [name, authorization, detail] of malformed) {
    it(`answers 401 to ${name}`, async () => {
      const headers = authorization === undefined ? {} : { authorization };
      const { status, json } = await server.rest.get('/v1/config/timeouts', { headers });
      assert.deepEqual([status, json], [401, { detail }]);
    });
  }

  it('refuses an expired key', async () => {
    const key = await server.createKey('late', '--expires-in-days', '0.0000001');
    assert.equal((await ask(key)).status, 401);
  });

  it('refuses bad input without writing anything', async () => {
    const before = (await server.svc('apikey', 'list', '--format', 'json')).stdout;
    const results = await Promise.all([
      server.svc('apikey', 'create', 'x', '--expires-in-days', 'soon'),
      server.svc('apikey', 'create', 'x', '--expires-in-days', '-1'),
      server.svc('apikey', 'create', 'x', '--expires-in-days', '99999999999'),
      server.svc('apikey', 'create', 'x', '--tenant', '../up'),
      server.svc('apikey', 'create', 'x', '--scope', 'two words'),
      server.svc('apikey', 'create', ''),
      server.svc('apikey', 'frobnicate'),
    ]);
    assert.deepEqual(
      results.map(({ code, stdout }) => [code, stdout]),
      results.map(() => [2, '']),
    );
    assert.equal((await server.svc('apikey', 'list', '--format', 'json')).stdout, before);
  });
});

describe('rule 9 on a socket', () => {
  it('closes with 1008 at the first frame that changes something after the key was revoked', async () => {
    await using server = await startWithKeys();
    const scopes = ['notebook:read', 'notebook:write', 'notebook:execute'].flatMap((scope) => ['--scope', scope]);
    const key = await server.createKey('ann', ...scopes);
    const headers = { authorization: `Bearer ${key}` };
    const created = await server.rest.post('/v1/notebooks/create', {
      headers,
      json: { parent_path: '.', name: 'Keyed', starter_cell: true },
    });
    const { session_id, cells } = Object(created.json);
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`, headers);
    socket.send('cell_source_update', { cell_id: cells[0].id, source: 'x = 1' });
    await socket.frame(({ type }) => type === 'dag_update');
    await server.svc('apikey', 'revoke', key.split('_')[1] ?? '');
    socket.send('notebook_sync');
    socket.send('cell_source_update', { cell_id: cells[0].id, source: 'x = 2' });
    assert.equal(await socket.closed, 1008);
    const [cell] = fs.readdirSync(path.join(server.home, '.svc/notebooks/keyed/cells'));
    assert.equal(fs.readFileSync(path.join(server.home, '.svc/notebooks/keyed/cells', cell ?? ''), 'utf8'), 'x = 1');
    await assert.rejects(openSocket(server.address, `/v1/notebooks/ws/${session_id}`, headers), /refused with 403/);
  });
});

describe('rule 9 with tenants: a key carries its own', () => {
  it('ignores a tenant header, and asks a tenantless key for one when the settings demand it', async () => {
    await using server = await startWithKeys({ SVC_MULTI_TENANT_ENABLED: 'true', SVC_REQUIRE_TENANT_HEADER: 'true' });
    const own = await server.createKey('ann', '--tenant', 't1');
    const none = await server.createKey('bob');
    const ask = (key: string) =>
      server.rest.get('/v1/config/timeouts', { headers: { authorization: `bearer ${key}`, 'x-tenant-id': 't2' } });
    const admitted = await ask(own);
    assert.deepEqual([admitted.status, admitted.headers['x-tenant-id']], [200, 't1']);
    const refused = await ask(none);
    assert.deepEqual(
      [refused.status, refused.headers['content-type'], refused.text],
      [400, 'text/plain; charset=utf-8', 'Missing required header: X-Tenant-ID'],
    );
  });
});

describe('tenancy', () => {
  let server: TestServer;
  before(async () => {
    server = await startProxied({ SVC_MULTI_TENANT_ENABLED: 'true' });
  });
  after(() => server[Symbol.asyncDispose]());

  const cases: [tenant: string | undefined, status: number, answered: string | undefined, text?: string][] = [
    [undefined, 200, '_default'],
    ['acme-1', 200, 'acme-1'],
    ['a'.repeat(64), 200, 'a'.repeat(64)],
    ['a'.repeat(65), 400, undefined, 'Invalid tenant ID: Tenant ID exceeds maximum length of 64 characters'],
    [
      '_default',
      400,
      undefined,
      'Invalid tenant ID: Tenant ID must start with alphanumeric and contain only alphanumeric characters, underscores, and hyphens',
    ],
    [
      'a/b',
      400,
      undefined,
      'Invalid tenant ID: Tenant ID must start with alphanumeric and contain only alphanumeric characters, underscores, and hyphens',
    ],
  ];
  for (const [tenant, status, answered, text] of cases) {
    it(`${status} for ${tenant === undefined ? 'no tenant' : tenant.slice(0, 12)}`, async () => {
      const headers = asserted({ principal: 'ann', ...(tenant === undefined ? {} : { tenant }) });
      const answer = await server.rest.get('/v1/config/timeouts', { headers });
      assert.deepEqual([answer.status, answer.headers['x-tenant-id']], [status, answered]);
      if (text !== undefined) assert.equal(answer.text, text);
    });
  }
});

describe('rule 10: what a service refuses to start with', () => {
  const home = newHome();
  after(() => fs.rmSync(home, { recursive: true, force: true }));
  const starts: [name: string, env: Record<string, string>, named: RegExp][] = [
    ['service mode without authentication', { SVC_DEPLOYMENT_MODE: 'service' }, /SVC_AUTH_MODE/],
    ['api_key in personal mode', { SVC_AUTH_MODE: 'api_key' }, /SVC_AUTH_MODE/],
    [
      'api_key without an artifact directory',
      { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'api_key' },
      /SVC_ARTIFACT_DIR/,
    ],
    ['multi-tenancy without authentication', { SVC_MULTI_TENANT_ENABLED: 'true' }, /SVC_MULTI_TENANT_ENABLED/],
    ['a malformed number', { SVC_PORT: 'many' }, /SVC_PORT/],
  ];
  for (const [name, env, named] of starts) {
    it(`ends with 2 and names the setting: ${name}`, async () => {
      const { code, stdout, stderr } = await runSvc(['serve'], { home, env });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^Svc cannot start:/);
      assert.match(stderr, named);
    });
  }
});
