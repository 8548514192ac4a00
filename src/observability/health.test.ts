import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependenciesBody, readinessBody } from '../protocol/observability.ts';
import { type DependencyProbe, dependencies, evictionStatus, type ReadinessState, readiness } from './health.ts';

const calm: ReadinessState = {
  draining: false,
  serverInitialized: true,
  interactiveSaturatedSeconds: 0,
  bulkSaturatedSeconds: 0,
  interactiveAvailable: 8,
  bulkAvailable: 4,
  activeScans: 0,
  droppedLogs: 0,
};
const silence = () => new Promise(() => {});

test('a calm server with answering stores is ready', async () => {
  const answer = await readiness(calm, { metadataStore: () => 'ok', artifactStore: async () => {} });
  assert.deepEqual(answer, {
    statusCode: 200,
    body: {
      status: 'ready',
      checks: {
        draining: false,
        interactive_saturated_seconds: 0,
        bulk_saturated_seconds: 0,
        capacity_exhausted: false,
        dropped_logs: 0,
        ready: true,
        server_initialized: true,
        metadata_store: true,
        artifact_store: true,
        interactive_available: 8,
        bulk_available: 4,
        active_scans: 0,
      },
    },
  });
  assert.deepEqual(readinessBody.parse(answer.body), answer.body);
});

test('a store that fails or is late makes it not ready, and says why without secrets', async () => {
  const { statusCode, body } = await readiness(calm, {
    metadataStore: () => {
      throw new Error('cannot reach postgres://svc:hunter2@db');
    },
    artifactStore: silence,
    timeoutMs: 5,
  });
  const { checks } = body;
  assert.deepEqual(
    [statusCode, body.status, checks.ready, checks.metadata_store, checks.artifact_store, checks.issues],
    [
      503,
      'not_ready',
      true,
      false,
      false,
      ['metadata_store: cannot reach postgres://svc:<redacted>@db', 'artifact_store: no answer within 5 ms'],
    ],
  );
  assert.equal(checks.metadata_store_error, 'cannot reach postgres://svc:<redacted>@db');
  assert.equal(checks.artifact_store_error, 'no answer within 5 ms');
});

test('draining, starting, or both tiers saturated beyond 30 s: not ready; one tier alone does not count', async () => {
  const status = async (change: Partial<ReadinessState>) => {
    const { statusCode, body } = await readiness({ ...calm, ...change }, {});
    return [statusCode, body.checks.ready, body.checks.capacity_exhausted, body.checks.metadata_store];
  };
  assert.deepEqual(await status({ draining: true }), [503, false, false, null]);
  assert.deepEqual(await status({ serverInitialized: false }), [503, false, false, null]);
  assert.deepEqual(await status({ interactiveSaturatedSeconds: 99, bulkSaturatedSeconds: 30 }), [
    200,
    true,
    false,
    null,
  ]);
  assert.deepEqual(await status({ interactiveSaturatedSeconds: 31, bulkSaturatedSeconds: 31 }), [
    503,
    false,
    true,
    null,
  ]);
});

test('dependencies are probed together and answered in order', async () => {
  let reached: (() => void) | undefined;
  const secondStarted = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const probes: DependencyProbe[] = [
    {
      name: 'disk_cache',
      check: async () => {
        await secondStarted;
        return { status: 'healthy', details: { entries: 3 } };
      },
    },
    {
      name: 'cache_evictions',
      check: () => {
        reached?.();
        return { status: evictionStatus('high'), message: 'pressure is high', details: {} };
      },
    },
  ];
  const answer = await dependencies(probes, '0.1.0', { now: () => 12.5, elapsed: () => 7 });
  assert.deepEqual(answer, {
    statusCode: 200,
    body: {
      status: 'degraded',
      timestamp: 12.5,
      version: '0.1.0',
      checks: [
        { name: 'disk_cache', status: 'healthy', latency_ms: 0, details: { entries: 3 } },
        { name: 'cache_evictions', status: 'degraded', message: 'pressure is high', latency_ms: 0, details: {} },
      ],
      summary: { total: 2, healthy: 1, degraded: 1, unhealthy: 0 },
    },
  });
  assert.deepEqual(dependenciesBody.parse(answer.body), answer.body);
});

test('a dependency that throws or hangs is unhealthy; its signal aborts', async () => {
  const seen: AbortSignal[] = [];
  const { statusCode, body } = await dependencies(
    [
      { name: 'a', check: () => Promise.reject(new Error('gone')) },
      {
        name: 'b',
        timeoutMs: 5,
        check: (signal) => {
          seen.push(signal);
          return new Promise(() => {});
        },
      },
    ],
    '0.1.0',
  );
  assert.deepEqual(
    [statusCode, body.status, body.checks.map(({ status, message }) => [status, message]), seen.map((s) => s.aborted)],
    [
      503,
      'unhealthy',
      [
        ['unhealthy', 'gone'],
        ['unhealthy', 'no answer within 5 ms'],
      ],
      [true],
    ],
  );
});

test('eviction pressure as a dependency status', () => {
  assert.deepEqual((['low', 'medium', 'high', 'critical'] as const).map(evictionStatus), [
    'healthy',
    'degraded',
    'degraded',
    'unhealthy',
  ]);
});
