// The shell around every route: headers, hosts, origins, base path, bodies that are none.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { openSocket, RefusedUpgrade } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer({
    env: { SVC_CORS_ALLOW_ORIGINS: '["http://friend.example"]', SVC_ALLOWED_HOSTS: 'notebooks.lab,.corp.example' },
  });
});
after(() => server[Symbol.asyncDispose]());

describe('what every response carries', () => {
  it('echoes the request id, or makes one', async () => {
    const sent = await server.rest.get('/health', { headers: { 'x-request-id': 'my-id/1' } });
    assert.equal(sent.headers['x-request-id'], 'my-id/1');
    const made = await server.rest.get('/health');
    assert.match(made.headers['x-request-id'] ?? '', /^[0-9a-f]{16}$/);
  });

  it('says which methods a path has to whoever asks with another', async () => {
    const asked = [
      ['DELETE', '/health'],
      ['PATCH', '/v1/notebooks/create'],
      ['GET', '/v1/notebooks/some-session/cells/reorder'],
      ['PUT', '/v1/no/such/path'],
    ] as const;
    const answers = await Promise.all(asked.map(([method, place]) => server.rest.send(method, place, {})));
    assert.deepEqual(
      answers.map(({ status, headers, json }) => [status, headers.allow, json]),
      [
        [405, 'GET, HEAD', { detail: 'Method Not Allowed' }],
        [405, 'DELETE, POST', { detail: 'Method Not Allowed' }],
        [405, 'DELETE, PUT', { detail: 'Method Not Allowed' }],
        [404, undefined, { detail: 'Not Found' }],
      ],
    );
  });

  it('has it on refusals too: unknown route, wrong host, foreign origin, 401, 429, malformed URL', async () => {
    await using proxied = await startProxied();
    await using limited = await startServer({
      env: { SVC_RATE_LIMIT_ENABLED: 'true', SVC_RATE_LIMIT_CLIENT_BURST: '1', SVC_RATE_LIMIT_CLIENT_RPS: '0.01' },
    });
    await limited.rest.get('/v1/config/timeouts');
    const answers = await Promise.all([
      server.rest.get('/v1/nope'),
      server.rest.get('/health', { headers: { host: 'evil.example' } }),
      server.rest.post('/v1/materialize', { headers: { origin: 'http://evil.example' }, json: {} }),
      proxied.rest.get('/v1/config/timeouts'),
      limited.rest.get('/v1/config/timeouts'),
      server.rest.get('/v1/notebooks/%zz'),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 400, 403, 401, 429, 400],
    );
    for (const { headers, status } of answers) {
      assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{16}$/, `no request id on a ${status}`);
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  it('lets only this origin frame it, plus those that are listed', async () => {
    assert.equal((await server.rest.get('/health')).headers['content-security-policy'], "frame-ancestors 'self'");
    await using listed = await startServer({
      env: { SVC_EMBED_FRAME_ANCESTORS: 'https://a.example,https://b.example' },
    });
    await using any = await startServer({ env: { SVC_EMBED_FRAME_ANCESTORS: '*' } });
    assert.deepEqual(
      [
        (await listed.rest.get('/health')).headers['content-security-policy'],
        (await any.rest.get('/health')).headers['content-security-policy'],
      ],
      ["frame-ancestors 'self' https://a.example https://b.example", 'frame-ancestors *'],
    );
    assert.match(
      (await server.rest.get('/docs')).headers['content-security-policy'] ?? '',
      /default-src 'self'.*; frame-ancestors 'self'$/,
    );
  });
});

describe('host check', () => {
  const cases: [host: string, status: number][] = [
    ['localhost', 200],
    ['LOCALHOST:8765', 200],
    ['127.0.0.1', 200],
    ['10.1.2.3:99', 200],
    ['[::1]:8765', 200],
    ['notebooks.lab', 200],
    ['notebooks.lab.', 200],
    ['a.corp.example', 200],
    ['corp.example', 400],
    ['xcorp.example', 400],
    ['evil.example', 400],
    ['localhost.evil.example', 400],
  ];
  for (const [host, status] of cases) {
    it(`${status} for ${host}`, async () =>
      assert.equal((await server.rest.get('/health', { headers: { host } })).status, status));
  }

  it('says in plain text what to do', async () => {
    const { headers, text } = await server.rest.get('/health', { headers: { host: 'evil.example' } });
    assert.deepEqual(
      [headers['content-type'], text],
      [
        'text/plain; charset=utf-8',
        "Host 'evil.example' is not allowed. Add its name to SVC_ALLOWED_HOSTS to serve it.",
      ],
    );
  });

  it('is off in service mode without a list', async () => {
    await using proxied = await startProxied();
    assert.equal((await proxied.rest.get('/health', { headers: { host: 'any.example' } })).status, 200);
  });
});

describe('origins', () => {
  const write = (origin: string) => server.rest.post('/v1/materialize', { headers: { origin }, json: {} });

  it('refuses a browser’s write from elsewhere, naming the origin', async () => {
    const { status, json } = await write('http://evil.example');
    assert.deepEqual(
      [status, json],
      [403, { detail: 'Cross-origin request from http://evil.example is not allowed.' }],
    );
    const { host, port } = new URL(server.address);
    const spellings = [
      'null',
      '',
      host,
      `http://evil.${host}`,
      `http://evil${host}`,
      `${server.address}.`,
      'http://127.0.0.1',
    ];
    spellings.push(
      `http://evil@${host}`,
      `http://localhost:${port}`,
      'http://friend.example.',
      'http://friend.example:81',
    );
    for (const origin of spellings) assert.equal((await write(origin)).status, 403, origin);
  });

  it('takes writes from this origin and from listed ones', async () => {
    const own = await write(server.address);
    const friend = await write('http://friend.example');
    assert.deepEqual([own.status, friend.status], [422, 422]);
    assert.deepEqual(
      [friend.headers['access-control-allow-origin'], friend.headers.vary],
      ['http://friend.example', 'Origin'],
    );
  });

  it('serves a foreign read without the permission to see it', async () => {
    const { status, headers } = await server.rest.get('/health', { headers: { origin: 'http://evil.example' } });
    assert.deepEqual([status, headers['access-control-allow-origin']], [200, undefined]);
  });

  it('answers preflights, before any identity is asked for', async () => {
    const preflight = (rest: TestServer['rest'], origin: string) =>
      rest.send('OPTIONS', '/v1/names', {
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-a, x-b' },
      });
    const allowed = await preflight(server.rest, 'http://friend.example');
    assert.deepEqual(
      [
        allowed.status,
        allowed.text,
        allowed.headers['access-control-allow-methods'],
        allowed.headers['access-control-allow-headers'],
        allowed.headers['access-control-max-age'],
      ],
      [200, '', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', 'x-a, x-b', '600'],
    );
    const refused = await preflight(server.rest, 'http://evil.example');
    assert.deepEqual([refused.status, refused.text], [403, '']);
    await using proxied = await startProxied({ SVC_CORS_ALLOW_ORIGINS: '["http://friend.example"]' });
    assert.equal((await preflight(proxied.rest, 'http://friend.example')).status, 200);
  });
});

describe('base path', () => {
  it('serves the same routes with and without the prefix, and the page with its own base', async () => {
    await using based = await startServer({ env: { SVC_PUBLIC_BASE_PATH: '/lab/svc' } });
    const rest = (await import('./kit/rest.ts')).createRest(based.address.replace('/lab/svc', ''));
    const paths = [
      '/health',
      '/lab/svc/health',
      '/lab/svc',
      '/lab/svc/',
      '/lab/svc?x=1',
      '/lab/svcx/v1',
      '/lab/svc/v1/nope',
    ];
    const answers = await Promise.all(paths.map((place) => rest.get(place)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200, 404],
    );
    assert.match(answers[2]?.text ?? '', /<base href="\/lab\/svc\/" \/>/);
    assert.match((await rest.get('/lab/svc/docs')).text, /src="\/lab\/svc\/docs\/assets\/swagger-ui-bundle.js"/);
  });
});

describe('bodies', () => {
  const send = (body: string | Uint8Array, type = 'application/json') =>
    server.rest.post('/v1/materialize', { body, headers: { 'content-type': type } });

  const invalid: [name: string, body: string | Uint8Array, loc: (string | number)[], type: string][] = [
    ['text that is no JSON', '{"inputs": [}', ['body', 12], 'json_invalid'],
    ['a cut-off document', '{"inputs": ["a"', ['body', 15], 'json_invalid'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), ['body', 0], 'json_invalid'],
    ['100 000 open brackets', '['.repeat(100_000), ['body', 128], 'json_invalid'],
    ['a prototype', '{"__proto__": {"x": 1}}', ['body', 0], 'json_invalid'],
    ['a prototype in escapes', '{"\\u005f_pr\\u006fto__": {"x": 1}}', ['body', 0], 'json_invalid'],
    ['nothing', '', ['body'], 'missing'],
    ['a list', '[]', ['body'], 'dict_type'],
    ['null', 'null', ['body'], 'missing'],
    ['a number', '1e999', ['body'], 'dict_type'],
  ];
  for (const [name, body, loc, type] of invalid) {
    it(`422 for ${name}`, async () => {
      const { status, json } = await send(body);
      const [entry] = Object(json).detail;
      assert.deepEqual([status, entry.loc, entry.type], [422, loc, type]);
    });
  }

  it('422 lists every field that does not fit, and does not echo what was sent', async () => {
    const { status, json } = await send(
      JSON.stringify({ inputs: 'secret-table', transform: { params: [] }, refresh: 'yes', name: 3 }),
    );
    assert.deepEqual(
      [status, json],
      [
        422,
        {
          detail: [
            { type: 'list_type', loc: ['body', 'inputs'], msg: 'Input should be a valid list' },
            { type: 'missing', loc: ['body', 'transform', 'executor'], msg: 'Field required' },
            { type: 'dict_type', loc: ['body', 'transform', 'params'], msg: 'Input should be a valid dictionary' },
            { type: 'string_type', loc: ['body', 'name'], msg: 'Input should be a valid string' },
            { type: 'bool_type', loc: ['body', 'refresh'], msg: 'Input should be a valid boolean' },
          ],
        },
      ],
    );
  });

  it('422 for a list that is too long says by how much', async () => {
    const { status, json } = await server.rest.post('/v1/notebooks/recents/validate', {
      json: { paths: Array.from({ length: 101 }, () => 'x') },
    });
    const entry = {
      type: 'too_long',
      loc: ['body', 'paths'],
      msg: 'List should have at most 100 items after validation, not 101',
      ctx: { field_type: 'List', max_length: 100, actual_length: 101 },
    };
    assert.deepEqual([status, json], [422, { detail: [entry] }]);
  });

  it('422 for another content type', async () => {
    const { status, json } = await send('inputs=a', 'application/x-www-form-urlencoded');
    assert.deepEqual([status, json], [422, { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required' }] }]);
  });

  it('413 for a body over the limit, as soon as its size is known', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': String(17 * 1024 * 1024) };
    const { status, json } = await server.rest.post('/v1/materialize', { headers, body: '"the first bytes' });
    assert.deepEqual([status, json], [413, { detail: 'Request body is larger than this route accepts' }]);
  });

  it('queries and paths that do not parse', async () => {
    const ask = async (place: string) => Object((await server.rest.get(place)).json).detail;
    assert.deepEqual(await ask('/v1/logs?limit=abc&since=-1'), [
      {
        type: 'greater_than_equal',
        loc: ['query', 'since'],
        msg: 'Input should be greater than or equal to 0',
        ctx: { ge: 0 },
      },
      {
        type: 'int_parsing',
        loc: ['query', 'limit'],
        msg: 'Input should be a valid integer, unable to parse string as an integer',
      },
    ]);
    assert.deepEqual(await ask('/v1/logs?limit=1001'), [
      {
        type: 'less_than_equal',
        loc: ['query', 'limit'],
        msg: 'Input should be less than or equal to 1000',
        ctx: { le: 1000 },
      },
    ]);
    assert.deepEqual(await ask('/v1/logs?regex=('), 'invalid regex: Unterminated group');
    assert.deepEqual(await ask('/v1/debug/memory?detailed=perhaps'), [
      {
        type: 'bool_parsing',
        loc: ['query', 'detailed'],
        msg: 'Input should be a valid boolean, unable to interpret input',
      },
    ]);
  });

  it('survives bytes that are not HTTP', async () => {
    const socket = net.connect(Number(new URL(server.address).port), '127.0.0.1');
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
      socket.end('NOT HTTP AT ALL\r\n\r\n');
    });
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /x-request-id: [0-9a-f]{16}/i);
    assert.equal((await server.rest.get('/health')).status, 200);
  });
});

describe('sockets', () => {
  it('refuses an upgrade for a session that is not open, without a reason', async () => {
    await assert.rejects(
      openSocket(server.address, '/v1/notebooks/ws/no-such-session'),
      (error) => error instanceof RefusedUpgrade && error.status === 403,
    );
  });
});

describe('materialize', () => {
  it('refuses a transform that nobody registered, by mode', async () => {
    const json = { inputs: [], transform: { executor: 'nope@v1' } };
    const personal = await server.rest.post('/v1/materialize', { json });
    assert.deepEqual([personal.status, Object(personal.json).detail.error], [400, 'transform_unknown']);
    await using proxied = await startProxied();
    const service = await proxied.rest.post('/v1/materialize', { json, headers: asserted({ principal: 'ann' }) });
    assert.deepEqual([service.status, Object(service.json).detail.error], [403, 'transform_not_allowed']);
  });
});
