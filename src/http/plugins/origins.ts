// Cross-origin rules. Browsers may read and write from this origin and from those the settings list; a write that comes
// from any other page is refused. Preflights are answered before identity: they never carry credentials.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Refusal, refusals } from '../../errors/index.ts';
import type { Settings } from '../../settings/index.ts';
import { answerRefusal } from '../errors/answers.ts';
import type { Services } from '../services.ts';

const methods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
const exposed = 'Retry-After, X-Arrow-Row-Count, X-Request-ID, X-Svc-Artifact-Uri, X-Svc-Output-Index';
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

export function guardOrigins(app: FastifyInstance, { settings }: Services): void {
  const allowed = originCheck(settings);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    const isAllowed = allowed(origin, request.headers.host);
    if (isAllowed) reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
    reply.header('vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      const wanted = request.headers['access-control-request-headers'];
      return answerPreflight(reply, isAllowed, typeof wanted === 'string' ? wanted : 'content-type');
    }
    if (isAllowed || safe.has(request.method)) return done();
    const refusal: Refusal = refusals.crossOrigin(origin);
    answerRefusal(reply, refusal);
  });
}

function answerPreflight(reply: FastifyReply, allowed: boolean, headers: string): void {
  if (!allowed) {
    reply.code(403).send();
    return;
  }
  reply.header('access-control-allow-methods', methods).header('access-control-allow-headers', headers);
  reply.header('access-control-max-age', '600').code(200).send();
}

/** True for this server's own origin, the public one behind a proxy, and every listed one. */
export function originCheck(settings: Settings): (origin: string, host: string | undefined) => boolean {
  const listed = new Set(settings.corsAllowOrigins.map((origin) => origin.replace(/\/$/, '')));
  if (settings.publicBaseUrl !== null) listed.add(new URL(settings.publicBaseUrl).origin);
  if (listed.has('*')) return () => true;
  return (origin, host) =>
    listed.has(origin) || (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`));
}
