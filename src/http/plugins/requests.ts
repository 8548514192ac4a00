// Every request, seen from outside: counted while it runs, traced when tracing is on, and logged when it ends badly or
// slowly. Ordinary requests are logged at debug level.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Tracing } from '../../observability/index.ts';
import { loggedPath } from '../loggedPath.ts';
import type { Services } from '../services.ts';
import { limitedHeader } from './rateLimits.ts';

const slowMilliseconds = 1000;

export function observeRequests(
  app: FastifyInstance,
  { connections, lifecycle, log, metrics, tracing }: Services,
): void {
  const served = new WeakSet<object>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const began = performance.now();
    const over = [connections.requestStarted({ keepAlive: served.has(socket) }), lifecycle.begin()];
    served.add(socket);
    reply.raw.once('close', () => {
      for (const end of over) end();
      if (!reply.raw.writableFinished) metrics.clientDisconnected();
      const milliseconds = performance.now() - began;
      const level = levelOf(reply, milliseconds);
      if (log.isEnabled(level)) log[level]('Request', factsOf(request, reply, milliseconds));
    });
    if (tracing.enabled) void trace(tracing, request, reply, done);
    else done();
  });
}

/** What follows `done` runs inside the span, which ends with the response. */
function trace(tracing: Tracing, request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> {
  const name = `${request.method} ${request.routeOptions.url ?? 'unknown'}`;
  const attributes = {
    'http.request.method': request.method,
    'url.path': loggedPath(request.url),
    'svc.request_id': request.id,
  };
  return tracing.span(name, attributes, request.headers, (span) => {
    const ended = Promise.withResolvers<void>();
    reply.raw.once('close', () => {
      span.set({ 'http.response.status_code': reply.statusCode });
      ended.resolve();
    });
    done();
    return ended.promise;
  });
}

function levelOf(reply: FastifyReply, milliseconds: number): 'debug' | 'info' | 'warning' {
  if (reply.statusCode >= 500) return 'warning';
  // The limiter tells of them together.
  if (reply.hasHeader(limitedHeader)) return 'debug';
  return reply.statusCode >= 400 || milliseconds > slowMilliseconds ? 'info' : 'debug';
}

function factsOf(request: FastifyRequest, reply: FastifyReply, milliseconds: number): Record<string, unknown> {
  return {
    request_id: request.id,
    method: request.method,
    path: loggedPath(request.url),
    tenant_id: request.tenant,
    principal: request.caller.principal ?? undefined,
    status: reply.statusCode,
    duration_ms: Math.round(milliseconds * 10) / 10,
  };
}
