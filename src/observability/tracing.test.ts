import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { z } from 'zod';
import { createLog } from './log.ts';
import { createLogRing } from './ring.ts';
import { traceHeaders } from './spans.ts';
import { startTracing } from './tracing.ts';

const value = z.looseObject({ stringValue: z.string().optional(), intValue: z.number().optional() });
const attributes = z.array(z.looseObject({ key: z.string(), value }));
const exportRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.looseObject({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.looseObject({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes,
              status: z.looseObject({ code: z.number(), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A collector that answers as a real one does and keeps what it was sent. */
async function startCollector() {
  const requests: { path: string | undefined; body: z.infer<typeof exportRequest> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ path: request.url, body: exportRequest.parse(JSON.parse(Buffer.concat(chunks).toString())) });
    response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function silentLog() {
  const ring = createLogRing();
  return { ring, log: createLog({ level: 'debug', format: 'json', destination: { write: () => {} }, ring }) };
}

const traceId = 'a'.repeat(32);
const remoteSpan = 'b'.repeat(16);

test('spans reach the collector, nested, joined to the caller’s trace and without secrets', async () => {
  const collector = await startCollector();
  const { log } = silentLog();
  const tracing = await startTracing({
    endpoint: `${collector.endpoint}/`,
    serviceName: 'svc-test',
    enabled: true,
    log,
  });
  let headers: Readonly<Record<string, string>> = {};
  let inner: ReturnType<typeof tracing.currentIds>;

  const answer = await tracing.span(
    'GET /p/{token}',
    { 'url.path': '/p/V5tSecretToken/data', skipped: undefined },
    { traceparent: `00-${traceId}-${remoteSpan}-01`, tracestate: 'vendor=1' },
    async (span) => {
      span.set({ status: 200 });
      await assert.rejects(
        tracing.span('plan', {}, undefined, async () => {
          inner = tracing.currentIds();
          headers = traceHeaders();
          throw new Error('no route to postgres://svc:hunter2@db');
        }),
        /no route/,
      );
      return 42;
    },
  );
  assert.deepEqual([answer, tracing.currentIds()], [42, undefined]);
  await tracing.shutdown();
  collector.stop();

  assert.deepEqual(
    collector.requests.map(({ path }) => path),
    ['/v1/traces'],
  );
  const [exported] = collector.requests[0]?.body.resourceSpans ?? [];
  assert.deepEqual(exported?.resource.attributes.find(({ key }) => key === 'service.name')?.value, {
    stringValue: 'svc-test',
  });
  const [plan, request] = exported?.scopeSpans[0]?.spans ?? [];
  assert.deepEqual(
    [request, plan].map((span) => [span?.name, span?.traceId, span?.parentSpanId, span?.status]),
    [
      ['GET /p/{token}', traceId, remoteSpan, { code: 0 }],
      ['plan', traceId, request?.spanId, { code: 2, message: 'no route to postgres://svc:<redacted>@db' }],
    ],
  );
  assert.deepEqual(request?.attributes, [
    { key: 'url.path', value: { stringValue: '/p/<redacted>/data' } },
    { key: 'status', value: { intValue: 200 } },
  ]);
  assert.deepEqual(inner, { trace_id: traceId, span_id: plan?.spanId });
  assert.deepEqual(headers, { traceparent: `00-${traceId}-${plan?.spanId}-01`, tracestate: 'vendor=1' });
});

test('a malformed parent begins a new trace', async () => {
  const collector = await startCollector();
  const { log } = silentLog();
  const tracing = await startTracing({ endpoint: collector.endpoint, serviceName: 'svc', enabled: true, log });
  const bad = ['', 'nonsense', `00-${'0'.repeat(32)}-${remoteSpan}-01`, `ff-${traceId}-${remoteSpan}-01`];
  const traces = await Promise.all(
    bad.map((traceparent) => tracing.span('x', {}, { traceparent }, async () => tracing.currentIds()?.trace_id)),
  );
  await tracing.shutdown();
  collector.stop();
  assert.deepEqual([new Set(traces).size, traces.includes(traceId)], [4, false]);
});

test('switched off or without an endpoint nothing is loaded', async () => {
  const { log } = silentLog();
  const load = () => Promise.reject(new Error('must not load'));
  for (const options of [
    { endpoint: undefined, enabled: true },
    { endpoint: 'http://127.0.0.1:1', enabled: false },
  ]) {
    const tracing = await startTracing({ ...options, serviceName: 'svc', log }, load);
    assert.deepEqual(
      [tracing.enabled, await tracing.span('x', {}, {}, async () => 7), tracing.currentIds(), traceHeaders()],
      [false, 7, undefined, {}],
    );
    await tracing.shutdown();
  }
});

test('missing packages cost one warning', async () => {
  const { log, ring } = silentLog();
  const missing = () => Promise.reject(new Error("Cannot find package '@opentelemetry/api'"));
  const tracing = await startTracing(
    { endpoint: 'http://127.0.0.1:1', serviceName: 'svc', enabled: true, log },
    missing,
  );
  assert.equal(tracing.enabled, false);
  const [warning, ...others] = ring.query().entries;
  assert.deepEqual([warning?.level, others.length], ['warning', 0]);
  assert.match(warning?.exception ?? '', /Cannot find package/);
});
