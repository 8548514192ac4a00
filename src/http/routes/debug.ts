// What an operator asks a running server that behaves oddly.
import { z } from 'zod';
import { detailedMemory, memorySnapshot } from '../../observability/index.ts';
import {
  connectionsBody,
  gcPausesBody,
  latencyBody,
  memoryBody,
  poolsBody,
  queryBool,
  queryInt,
  rateLimitsBody,
} from '../../protocol/index.ts';
import { needs } from '../access.ts';
import type { App, Services } from '../services.ts';

export function debugRoutes(app: App, services: Services): void {
  const { latency, gcPauses, connections, limiter, metrics } = services;
  const tags = ['operations'];

  app.get(
    '/v1/debug/latency',
    {
      config: needs('admin:*'),
      schema: { tags, summary: 'Latency per stage of a scan', response: { 200: latencyBody } },
    },
    async () => latency.snapshot(),
  );

  app.get(
    '/v1/debug/gc/pauses',
    {
      config: needs('admin:*'),
      schema: {
        tags,
        summary: 'Pauses of the garbage collector',
        querystring: z.object({ limit: queryInt({ min: 1, max: 1000 }).default(100) }),
        response: { 200: gcPausesBody },
      },
    },
    async (request) => gcPauses.snapshot(request.query.limit),
  );

  app.get(
    '/v1/debug/pools',
    {
      config: needs('admin:*', { unlimited: true }),
      schema: { tags, summary: 'Worker pools', response: { 200: poolsBody } },
    },
    async () => {
      const { thread_pools } = metrics.json();
      return { thread_pools, total_pools: Object.keys(thread_pools).length };
    },
  );

  app.get(
    '/v1/debug/connections',
    {
      config: needs('admin:*'),
      schema: { tags, summary: 'Request and connection counters', response: { 200: connectionsBody } },
    },
    async () => connections.snapshot(),
  );

  app.get(
    '/v1/debug/memory',
    {
      config: needs('admin:*', { unlimited: true }),
      schema: {
        tags,
        summary: 'Memory of the process, its heap and Arrow',
        querystring: z.object({ detailed: queryBool().default(false) }),
        response: { 200: memoryBody },
      },
    },
    async (request) => {
      const { arrow_memory: arrow } = metrics.json();
      return request.query.detailed ? detailedMemory(arrow) : memorySnapshot(arrow);
    },
  );

  app.get(
    '/v1/debug/rate-limits',
    {
      config: needs('admin:*'),
      schema: { tags, summary: 'Counters of the rate limiter', response: { 200: rateLimitsBody } },
    },
    async () => limiter.stats(),
  );
}
