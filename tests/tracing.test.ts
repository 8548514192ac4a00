// Where requests are traced, whoever is asked on their behalf is told of the trace: workers in headers and manifests, executors
// and the store of the team in headers.
import assert from 'node:assert/strict';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { begunBuild } from './kit/builds.ts';
import { listening } from './kit/listening.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { specOf } from './kit/remote.ts';
import { startServer } from './kit/server.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' };

interface Asked {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Somebody who refuses everything and remembers what was said; `next` resolves with what comes at that path. */
async function startListener(context: TestContext) {
  const waiting = new Map<string, (asked: Asked) => void>();
  const server = http.createServer(async (request, response) => {
    const asked = { path: request.url?.split('?')[0] ?? '', headers: request.headers, body: await text(request) };
    waiting.get(asked.path)?.(asked);
    if (asked.path === '/health') response.end('{"status":"healthy","capabilities":{"features":{}}}');
    else response.writeHead(asked.path === '/v1/traces' ? 200 : 500).end('{}');
  });
  const address = await listening(context, server);
  return { address, next: (path: string): Promise<Asked> => new Promise((resolve) => waiting.set(path, resolve)) };
}

/** The trace that was told, without the span, which is the server's own. */
const told = ({ traceparent, tracestate }: Readonly<Record<string, unknown>>): unknown[] => {
  const [version, trace, span = '', flags] = String(traceparent).split('-');
  assert.match(span, /^[0-9a-f]{16}$/);
  assert.notEqual(span, '00f067aa0ba902b7');
  return [version, trace, flags, tracestate];
};

it('workers and executors are told of the trace', async (context) => {
  const listener = await startListener(context);
  await using server = await startServer({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: listener.address,
      TEST_WORKER_TOKEN: 'token',
      SVC_TRANSFORMS_CONFIG: JSON.stringify({
        enabled: true,
        registry: [{ ref: 'double@v1', executor_url: listener.address }],
      }),
    },
  });
  const notebook = await createTestNotebook(server, 'Traced');
  const workers = [specOf('pushed', listener.address), specOf('pulled', listener.address, { transport: 'signed' })];
  assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
  const expected = ['00', traceId, '01', 'vendor=1'];
  const [pushed, pulled] = [await notebook.add('# @worker pushed\n1'), await notebook.add('# @worker pulled\n2')];
  const run = (cell: string) =>
    server.rest.post(`/v1/notebooks/${notebook.sessionId}/cells/${cell}/execute`, { headers: caller, json: {} });

  const push = listener.next('/v1/execute');
  await run(pushed);
  assert.deepEqual(told((await push).headers), expected);

  const pull = listener.next('/v1/execute-manifest');
  await run(pulled);
  const { headers, body } = await pull;
  assert.deepEqual([told(headers), told(JSON.parse(body).metadata)], [expected, expected]);

  const order = listener.next('/v1/execute');
  await begunBuild(server, 'double@v1', { headers: caller });
  assert.deepEqual(told((await order).headers), expected);
});

it('the store of the team is told of the trace', async (context) => {
  const [collector, store] = [await startListener(context), await startListener(context)];
  await using server = await startServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, SVC_NOTEBOOK_REMOTE_STORE_URL: store.address },
  });
  const asked = store.next('/v1/registry/artifacts');
  await server.rest.get('/v1/registry/artifacts?tag_key=stage', { headers: caller });
  assert.deepEqual(told((await asked).headers), ['00', traceId, '01', 'vendor=1']);
});
