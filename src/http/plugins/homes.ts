// Notebooks on a service of several servers: a request for a session that another server has goes there, and one whose server is
// gone goes on here. A server that stops sends whoever comes away until its cells have ended and another can take over.
import type { FastifyInstance } from 'fastify';
import { refusals } from '../../errors/index.ts';
import { forward, wasForwarded } from '../forward.ts';
import { findElsewhere } from '../home.ts';
import type { Services } from '../services.ts';

/** Before a body is read: it is the other server's to read. */
export function sendToHomes(app: FastifyInstance, services: Services): void {
  const { homes, lifecycle } = services;
  if (!homes.areSeveral) return;
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/v1/notebooks/')) return;
    if (lifecycle.draining.aborted) throw refusals.draining();
    const { session_id: sessionId } = Object(request.params);
    const elsewhere = sessionId && (await findElsewhere(services, sessionId, request.caller));
    if (!elsewhere) return;
    if (wasForwarded(request.headers)) throw elsewhere;
    return forward(request, reply, elsewhere, homes);
  });
}
