// What every response carries, whatever became of the request: its id, the framing policy, no content sniffing. First of
// all hooks, so that a refusal by any later one has them too.
import type { FastifyInstance } from 'fastify';
import { anyone, defaultTenant } from '../../identity/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { Services } from '../services.ts';

export function wrapResponses(app: FastifyInstance, { settings }: Services): void {
  const policy = framePolicy(settings);
  app.decorateRequest('caller');
  app.decorateRequest('tenant');
  app.addHook('onRequest', (request, reply, done) => {
    request.caller = anyone;
    request.tenant = defaultTenant;
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('content-security-policy', policy);
    done();
  });
  // A route may set a policy of its own; it keeps the framing rule unless it wrote one.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const own = String(reply.getHeader('content-security-policy'));
    if (!own.includes('frame-ancestors')) reply.header('content-security-policy', `${own}; ${policy}`);
    done(null, payload);
  });
}

/** Which pages may show this server's in a frame. */
export function framePolicy({ embedFrameAncestors: ancestors }: Settings): string {
  return ancestors.includes('*') ? 'frame-ancestors *' : ["frame-ancestors 'self'", ...ancestors].join(' ');
}
