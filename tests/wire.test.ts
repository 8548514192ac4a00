// Requests as no client library writes them, byte by byte: odd targets, missing or repeated headers, upgrades, waiting.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startServer, type TestServer } from './kit/server.ts';
import { proxyToken, startProxied } from './kit/service.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { SVC_PUBLIC_BASE_PATH: '/lab' } });
});
after(() => server[Symbol.asyncDispose]());

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends the lines of a request and waits until the server has answered and closed. */
function exchange(to: TestServer, ...lines: string[]): Promise<RawAnswer> {
  const socket = net.connect(Number(new URL(to.address).port), '127.0.0.1');
  socket.setEncoding('latin1');
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(parse(text)));
    socket.on('error', reject);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  });
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(': ')[0]?.toLowerCase() ?? '', field.slice(field.indexOf(': ') + 2)]),
  );
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

const host = 'Host: localhost';
const close = 'Connection: close';
const requestId = /^[0-9a-f]{16}$/;

describe('every answer has a request id', () => {
  it('to a request without Host, which is served', async () => {
    const { status, headers } = await exchange(server, 'GET /health HTTP/1.1', close);
    assert.equal(status, 200);
    assert.match(headers['x-request-id'] ?? '', requestId);
  });

  it('to an expectation that nobody can meet', async () => {
    const { status, headers } = await exchange(server, 'GET /health HTTP/1.1', host, close, 'Expect: the-best');
    assert.equal(status, 417);
    assert.match(headers['x-request-id'] ?? '', requestId);
  });

  it('to a refused upgrade, also the caller’s own', async () => {
    const upgrade = ['GET /v1/notebooks/ws/s HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: websocket'];
    const refused = await exchange(server, ...upgrade);
    assert.deepEqual([refused.status, refused.body], [403, '']);
    assert.match(refused.headers['x-request-id'] ?? '', requestId);
    assert.equal((await exchange(server, ...upgrade, 'X-Request-ID: mine')).headers['x-request-id'], 'mine');
  });

  it('to an address that cannot be read, with the framing policy and without repeating it', async () => {
    for (const target of ['/v1/%zz-secret', `/v1/admin/tenants/${'secret'.repeat(1000)}`]) {
      const { status, headers, body } = await exchange(server, `GET ${target} HTTP/1.1`, host, close);
      assert.deepEqual([status, headers['content-security-policy']], [400, "frame-ancestors 'self'"]);
      assert.doesNotMatch(body, /secret/);
    }
  });
});

describe('targets', () => {
  const targets: [target: string, status: number][] = [
    ['http://other.example/health', 200],
    ['http://other.example/lab/health', 200],
    ['http://other.example', 200],
    ['http://other.example/v1/nope', 404],
    ['HTTP://other.example/lab/v1/nope', 404],
    ['/%76%31/nope', 404],
    ['/%c0%af', 400],
    ['/%2f%2e%2e%2f', 200],
    ['/lab/v1/nope', 404],
  ];
  for (const [target, status] of targets) {
    it(`${status} for ${target}`, async () => {
      assert.equal((await exchange(server, `GET ${target} HTTP/1.1`, host, close)).status, status);
    });
  }

  it('an offer to speak another protocol is declined by answering', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const socket = net.connect(Number(new URL(server.address).port), '127.0.0.1');
    const [first] = await new Promise<string[]>((resolve) => {
      socket.once('data', (chunk) => resolve(chunk.toString().split('\r\n')));
      socket.write(`${['GET /health HTTP/1.1', host, ...offer].join('\r\n')}\r\n\r\n`);
    });
    socket.destroy();
    assert.equal(first, 'HTTP/1.1 200 OK');
  });

  it('HEAD of a stream that never ends ends', async () => {
    const { status, headers } = await exchange(server, 'HEAD /v1/logs/stream HTTP/1.1', host, close);
    assert.deepEqual([status, headers['content-type']], [200, 'text/event-stream']);
  });
});

describe('identity headers', () => {
  it('a tenant that is sent twice is none, and no way to become tenantless', async () => {
    await using proxied = await startProxied({ SVC_MULTI_TENANT_ENABLED: 'true' });
    const caller = [`X-Svc-Proxy-Token: ${proxyToken}`, 'X-Svc-Principal: ann'];
    const ask = (...more: string[]) =>
      exchange(proxied, 'GET /v1/config/timeouts HTTP/1.1', host, close, ...caller, ...more);
    const twice = await ask('X-Tenant-ID: t1', 'X-Tenant-ID: t2');
    assert.deepEqual([twice.status, twice.headers['x-tenant-id']], [400, undefined]);
    assert.match(twice.body, /^Invalid tenant ID: /);
    assert.equal((await ask('X-Tenant-ID: t1')).headers['x-tenant-id'], 't1');
  });

  it('are UTF-8, as settings are', async () => {
    await using proxied = await startProxied({ SVC_PROXY_TOKEN: 'gehëim' });
    const asBytes = (text: string) => Buffer.from(text).toString('latin1');
    const { status } = await exchange(
      proxied,
      'GET /v1/config/timeouts HTTP/1.1',
      host,
      close,
      `X-Svc-Proxy-Token: ${asBytes('gehëim')}`,
      `X-Svc-Principal: ${asBytes('Zoë')}`,
    );
    assert.equal(status, 200);
    await exchange(
      proxied,
      'GET /v1/nope HTTP/1.1',
      host,
      close,
      `X-Svc-Proxy-Token: ${asBytes('gehëim')}`,
      `X-Svc-Principal: ${asBytes('Zoë')}`,
    );
    await proxied.printed(/"principal":"Zoë"/);
  });
});

describe('bodies over the limit', () => {
  const limit = 16 * 1024 * 1024;
  const post = ['POST /v1/materialize HTTP/1.1', host, close, 'Content-Type: application/json'];
  const refused = [413, '{"detail":"Request body is larger than this route accepts"}'];

  it('are refused by their announced size, before they are sent', async () => {
    const { status, body } = await exchange(server, ...post, `Content-Length: ${limit + 1}`);
    assert.deepEqual([status, body], refused);
  });

  it('are refused when they turn out to be too large', async () => {
    const { status, body } = await exchange(
      server,
      ...post,
      'Transfer-Encoding: chunked',
      '',
      (limit + 1).toString(16),
      'x'.repeat(limit + 1),
    );
    assert.deepEqual([status, body], refused);
  });
});

describe('an answer before the end of a body', () => {
  const much = 'x'.repeat(80 * 1024 * 1024);
  const form = (name: string): string[] => [
    '--b',
    `Content-Disposition: form-data; name="${name}"; filename="x.ipynb"`,
    '',
    much,
  ];
  const sent: Readonly<Record<string, readonly [number, ...string[]]>> = {
    'JSON that is too large': [413, 'POST /v1/materialize', 'application/json', much],
    'a notebook that is too large': [
      413,
      'POST /v1/notebooks/import',
      'multipart/form-data; boundary=b',
      ...form('file'),
    ],
    'a field that is too long': [
      400,
      'POST /v1/notebooks/import',
      'multipart/form-data; boundary=b',
      ...form('parent_path'),
    ],
  };
  for (const [what, [status, target = '', type = '', ...body]] of Object.entries(sent))
    it(`arrives whole, says that the connection ends, and ends it cleanly: ${what}`, async () => {
      const text = body.join('\r\n');
      const answer = await exchange(
        server,
        `${target} HTTP/1.1`,
        host,
        `Content-Type: ${type}`,
        `Content-Length: ${text.length + 1000}`,
        '',
        text,
      );
      assert.deepEqual([answer.status, answer.headers.connection], [status, 'close'], answer.body);
      assert.match(answer.body, /^\{"detail":.*\}$/s);
    });
});

describe('time', () => {
  it('a request is logged with how long it took', async () => {
    await exchange(server, 'GET /v1/nope HTTP/1.1', host, close, 'X-Request-ID: timed');
    await server.printed(/"request_id":"timed".*"duration_ms":(?!0[,}])/);
  });
});
