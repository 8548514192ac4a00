// Token buckets in front of the routes. A client is the authenticated caller, else the connecting address; forwarded
// addresses count only from proxies that the settings name.
import type { FastifyInstance } from 'fastify';
import { createRefusalNotes } from '../../limits/index.ts';
import { isUnlimited } from '../access.ts';
import { answerPlain } from '../errors/answers.ts';
import type { Services } from '../services.ts';

/** Only refusals by the limiter carry it. */
export const limitedHeader = 'x-ratelimit-limit-type';

export function limitRates(app: FastifyInstance, { log, settings, limiter }: Services): void {
  if (!settings.rateLimitEnabled) return;
  const note = createRefusalNotes((facts, times) => log.info('Rate limit exceeded', { ...facts, times }));
  app.addHook('onRequest', (request, reply, done) => {
    const { url: template, config } = request.routeOptions;
    if (isUnlimited(config.access)) return done();
    const { caller } = request;
    const client = caller.authenticated ? `principal:${caller.tenant ?? ''}:${caller.principal}` : request.ip;
    const verdict = limiter.check(client, template ?? '', caller.tenant ?? undefined);
    reply.header('x-ratelimit-remaining', String(verdict.remaining));
    if (verdict.allowed) return done();
    const { type, retryAfterSeconds } = verdict;
    reply.header('retry-after', String(retryAfterSeconds)).header(limitedHeader, type);
    const { tenant } = request;
    const facts = { tenant_id: tenant, principal: caller.principal ?? undefined, limit: type, path: template };
    note({ who: client, facts });
    answerPlain(reply, 429, `Rate limit exceeded (${type}). Retry after ${retryAfterSeconds}s.`);
  });
}
