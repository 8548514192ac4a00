// Where a service has several tenants, their requests begin in turn. A probe waits for nobody.
import { AsyncResource } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { isUnlimited } from '../access.ts';
import type { Services } from '../services.ts';

export function takeTurns(app: FastifyInstance, { settings, tracing, turns }: Services): void {
  if (!settings.multiTenantEnabled) return;
  app.addHook('onRequest', (request, reply, done) => {
    if (isUnlimited(request.routeOptions.config.access)) return done();
    // Begun by the end of another one, it stays in its own span.
    const begin = tracing.enabled ? AsyncResource.bind(() => done()) : () => done();
    reply.raw.once('close', turns.begin(request.tenant, begin));
  });
}
