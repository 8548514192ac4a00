// Logs, health, metrics and debugging as an operator asks for them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import * as protocol from '../src/protocol/index.ts';
import { connectAgent } from './kit/mcp.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { SVC_LOG_LEVEL: 'DEBUG' } });
});
after(() => server[Symbol.asyncDispose]());

describe('every operator’s route answers in its documented shape', () => {
  const routes = {
    '/health': protocol.healthBody,
    '/health/ready': protocol.readinessBody,
    '/health/dependencies': protocol.dependenciesBody,
    '/metrics': protocol.metricsBody,
    '/metrics/tables': protocol.tablesMetricsBody,
    '/v1/logs': protocol.logsBody,
    '/v1/config/timeouts': protocol.timeoutsBody,
    '/v1/debug/latency': protocol.latencyBody,
    '/v1/debug/gc/pauses': protocol.gcPausesBody,
    '/v1/debug/pools': protocol.poolsBody,
    '/v1/debug/connections': protocol.connectionsBody,
    '/v1/debug/memory': protocol.memorySnapshot,
    '/v1/debug/memory?detailed=true': protocol.detailedMemoryBody,
    '/v1/debug/rate-limits': protocol.rateLimitsBody,
    '/v1/admin/tenants': protocol.tenantsBody,
    '/v1/admin/tenants/_default': protocol.tenantBody,
  };
  for (const [path, schema] of Object.entries(routes)) {
    it(path, async () => {
      const { status, json } = await server.rest.get(path);
      assert.equal(status, 200);
      schema.parse(json);
    });
  }

  it('unknown tables and tenants are 404', async () => {
    const answers = await Promise.all(
      ['/metrics/tables/zz', '/v1/admin/tenants/zz'].map((path) => server.rest.get(path)),
    );
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json]),
      [
        [404, { detail: 'No metrics found for table: zz' }],
        [404, { detail: 'Tenant not found: zz' }],
      ],
    );
  });

  it('timeouts are those of the settings', async () => {
    assert.deepEqual(await server.rest.read(protocol.timeoutsBody, '/v1/config/timeouts'), {
      planning: { plan_timeout_seconds: 30 },
      scanning: { scan_timeout_seconds: 300 },
      qos_queue: { interactive_queue_timeout: 10, bulk_queue_timeout: 30 },
      fetching: { fetch_timeout_seconds: 60 },
      s3: { s3_connect_timeout_seconds: 10, s3_request_timeout_seconds: 30 },
    });
  });
});

describe('logs', () => {
  it('of one notebook can be followed', async () => {
    const notebook = await createTestNotebook(server, 'Followed');
    await notebook.run(await notebook.add('1 + 1'));
    const { id } = await notebook.state();
    const of = (notebookId: string) => server.rest.read(protocol.logsBody, `/v1/logs?notebook=${notebookId}`);
    const { entries } = await of(id);
    assert.deepEqual([...new Set(entries.map(({ notebook_id }) => notebook_id))], [id]);
    const messages = new Set(entries.map(({ message }) => message.replace(/,.*/, '')));
    const followed = ['Environment job ended', 'Environment job started', 'Request', 'Run ended', 'ready'];
    assert.deepEqual([...messages].sort(), followed);
    assert.deepEqual((await of('another')).entries, []);
  });

  it('hold one record for each run, whoever asked for it, with how it ended', async () => {
    const notebook = await createTestNotebook(server, 'Runs');
    const good = await notebook.add('x = 1');
    const bad = await notebook.add('x / 0');
    const { id } = await notebook.state();
    await notebook.run(good);
    // Over the socket there is no request that would be written down.
    const failed = notebook.framesUntil(({ type, payload }) => type === 'cell_error' && payload.cell_id === bad);
    notebook.socket.send('cell_execute', { cell_id: bad });
    await failed;
    const again = notebook.framesUntil(({ type }) => type === 'notebook_state');
    notebook.socket.send('notebook_sync');
    await again;
    const { entries } = await server.rest.read(protocol.logsBody, `/v1/logs?notebook=${id}&regex=Run ended`);
    assert.deepEqual(
      entries.map(({ notebook_id, cell_id, outcome, cells }) => ({ notebook_id, cell_id, outcome, cells })),
      [
        { notebook_id: id, cell_id: good, outcome: 'ready', cells: 1 },
        { notebook_id: id, cell_id: bad, outcome: 'error', cells: 1 },
      ],
    );
  });

  it('say who asked for a run and who changed a notebook, through an agent too', async () => {
    await using shared = await startProxied({ SVC_MCP_ENABLED: 'true' });
    const scopes = 'notebook:read notebook:write notebook:execute';
    await using agent = await connectAgent(shared.address, asserted({ principal: 'ann', scopes }));
    const { session_id } = await agent.call('create_notebook', { name: 'Asked' });
    const { id: cell_id } = await agent.call('add_cell', { session_id, source: '1 / 0' });
    await agent.client.callTool({ name: 'run_cell', arguments: { session_id, cell_id } });
    const headers = asserted({ principal: 'root', scopes: 'admin:*' });
    const found = await shared.rest.get('/v1/logs?regex=Run ended|An agent acts', { headers });
    const { entries } = protocol.logsBody.parse(found.json);
    assert.deepEqual(
      entries.map(({ message, principal, tool, cell_id: cell }) => [message, principal, tool, cell]),
      [
        ['An agent acts', 'ann', 'create_notebook', undefined],
        ['An agent acts', 'ann', 'add_cell', undefined],
        ['An agent acts', 'ann', 'run_cell', cell_id],
        ['Run ended', 'ann', undefined, cell_id],
      ],
    );
    const ids = entries.slice(1).map(({ notebook_id }) => notebook_id);
    assert.deepEqual([new Set(ids).size, typeof ids[0]], [1, 'string'], 'and are found with their notebook');
  });

  it('carry the request, and are found by cursor, level and pattern', async () => {
    const start = await server.rest.read(protocol.logsBody, '/v1/logs?limit=1');
    await server.rest.get('/v1/no-such-route?mark=first', { headers: { 'x-request-id': 'find-me' } });
    const { entries, cursor } = await server.rest.read(
      protocol.logsBody,
      `/v1/logs?since=${start.cursor}&level=info&regex=Request`,
    );
    const [entry] = entries.filter((record) => record.request_id === 'find-me');
    assert.deepEqual(
      [entry?.level, entry?.message, entry?.method, entry?.path, entry?.tenant_id, entry?.status],
      ['info', 'Request', 'GET', '/v1/no-such-route?mark=first', '_default', 404],
    );
    const later = await server.rest.read(protocol.logsBody, `/v1/logs?since=${cursor + 1000}`);
    assert.deepEqual(later.entries, []);
  });

  it('keep secrets out', async () => {
    const secret = `svc_${'ab'.repeat(16)}_${'S'.repeat(43)}`;
    await server.rest.get(`/p/${'T'.repeat(43)}/nope?signature=${'G'.repeat(20)}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    await server.rest.get(`/v1/nope/${secret}`);
    const { text } = await server.rest.get('/v1/logs?limit=1000');
    for (const value of [secret, 'T'.repeat(43), 'G'.repeat(20)]) {
      assert.equal(text.includes(value), false);
      assert.equal(server.output().includes(value), false);
    }
  });

  it('are followed by a stream that begins with the backlog and ends with the client', async () => {
    await server.rest.get('/v1/no-such-route', { headers: { 'x-request-id': 'before-tail' } });
    const request = http.get(`${server.address}/v1/logs/stream?since=0`);
    const [response]: [http.IncomingMessage] = (await once(request, 'response')) as [http.IncomingMessage];
    assert.deepEqual([response.statusCode, response.headers['content-type']], [200, 'text/event-stream']);
    assert.match(String(response.headers['x-request-id']), /^[0-9a-f]{16}$/);
    let text = '';
    const seen = (id: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (text.includes(`"request_id":"${id}"`)) resolve();
        };
        response.on('data', look);
        look();
      });
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await seen('before-tail');
    await server.rest.get('/v1/no-such-route', { headers: { 'x-request-id': 'while-tailing' } });
    await seen('while-tailing');
    for (const line of text
      .split('\n\n')
      .filter((block) => block.startsWith('data: '))
      .slice(0, -1))
      protocol.logEntry.parse(JSON.parse(line.slice(6)));
    request.destroy();
  });
});

describe('under principal auth', () => {
  it('metrics stay open but name no table and no tenant, and the rest asks for its scope', async () => {
    await using proxied = await startProxied();
    const { text } = await proxied.rest.get('/metrics/prometheus');
    assert.equal(/tenant|table/.test(text), false);
    const statuses = async (scopes: string) => {
      const paths = ['/v1/logs', '/v1/debug/memory', '/metrics/tables', '/v1/admin/tenants', '/v1/config/timeouts'];
      const answers = await Promise.all(
        paths.map((path) => proxied.rest.get(path, { headers: asserted({ principal: 'ann', scopes }) })),
      );
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await statuses(''), [403, 403, 403, 403, 200]);
    assert.deepEqual(await statuses('admin:tenants'), [403, 403, 403, 200, 200]);
    assert.deepEqual(await statuses('admin:*'), [200, 200, 200, 200, 200]);
  });
});

const answerTo = async (server: TestServer, path: string) => {
  const { status, json } = await server.rest.get(path);
  return { status, json };
};

describe('the metrics switch', () => {
  it('takes the scrape routes away', async () => {
    await using quiet = await startServer({ env: { SVC_METRICS_ENABLED: 'false' } });
    for (const path of [
      '/metrics',
      '/metrics/prometheus',
      '/metrics/zz',
      '/metrics/zz/y/z',
      '/metrics-of-old',
      '/v1/metrics',
    ])
      assert.deepEqual(Object.values(await answerTo(quiet, path)), [404, { detail: 'Not Found' }], path);
  });
});

describe('tracing', () => {
  it('sends a span per request, continues the caller’s trace, and is silent when switched off', async (t) => {
    const received = Promise.withResolvers<string>();
    const collector = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.resolve(`${request.url} ${Buffer.concat(chunks).toString('latin1')}`);
        response.end('{}');
      });
    });
    t.after(() => collector.close());
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, SVC_LOG_LEVEL: 'DEBUG' };
    {
      await using traced = await startServer({ env });
      await traced.rest.get('/v1/config/timeouts', { headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` } });
      const { entries } = await traced.rest.read(protocol.logsBody, '/v1/logs');
      assert.equal(
        entries.some((entry) => entry.trace_id === trace),
        true,
      );
      assert.equal(await traced.stop(), 0);
    }
    const body = await received.promise;
    assert.match(body, /^\/v1\/traces /);
    assert.equal(body.includes('GET /v1/config/timeouts'), true);

    let calls = 0;
    collector.removeAllListeners('request');
    collector.on('request', (_request, response) => {
      calls += 1;
      response.end('{}');
    });
    await using off = await startServer({ env: { ...env, SVC_TRACING_ENABLED: 'false' } });
    await off.rest.get('/v1/config/timeouts');
    assert.equal(await off.stop(), 0);
    assert.equal(calls, 0);
  });
});
