// Who asks, and whether the matched route is for them: credentials, then tenant, then rate, then scope, as
// the matched route declares them: the text of the URL decides nothing, so no spelling of a path slips past a gate.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusals } from '../../errors/index.ts';
import {
  actAs,
  type Identification,
  type PresentedCredentials,
  reachesSession,
  tenantFor,
} from '../../identity/index.ts';
import { refusalFor } from '../access.ts';
import { answerPlain, answerRefusal } from '../errors/answers.ts';
import { headerValues } from '../headers.ts';
import type { Services } from '../services.ts';
import { isOpen } from './openRoutes.ts';

export function identifyCallers(app: FastifyInstance, { authenticate }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isOpen(request)) return done();
    const settle = (found: Identification): void => {
      if ('refused' in found) {
        reply.code(found.refused).send({ detail: found.detail });
        return;
      }
      request.caller = found.caller;
      done();
    };
    const found = authenticate(credentialsOf(request));
    if (found instanceof Promise) found.then(settle, done);
    else settle(found);
  });
}

function credentialsOf(request: FastifyRequest): PresentedCredentials {
  return {
    // The client of a cell sends no HEAD, so none is answered.
    runTokenReach: request.method === 'HEAD' ? undefined : request.routeOptions.config.access?.runToken,
    sessionId: textParams(request).session_id,
    header: (name) => headerValues(request.raw.rawHeaders, name),
  };
}

function textParams({ params }: FastifyRequest): Readonly<Record<string, string>> {
  return typeof params === 'object' && params !== null ? { ...params } : {};
}

export function resolveTenants(app: FastifyInstance, { settings, tenants }: Services): void {
  if (!settings.multiTenantEnabled) return;
  app.addHook('onRequest', (request, reply, done) => {
    if (isOpen(request)) return done();
    const found = tenantFor(request.caller, settings, tenants);
    if (found.tenant !== undefined) {
      request.tenant = found.tenant;
      reply.header('x-tenant-id', found.tenant);
    }
    if ('refused' in found) return void answerPlain(reply, found.refused, found.text);
    done();
  });
}

export function enforceScopes(app: FastifyInstance, { settings }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { access } = request.routeOptions.config;
    const refusal = access && refusalFor(access, request.caller, settings);
    if (refusal) return void answerRefusal(reply, refusal);
    done();
  });
}

/** After a body was read and before it is held against its schema. Whatever does more than look keeps a session awake, and
 *  is done for its caller. */
export function findSessions(app: FastifyInstance, { sessions }: Services): void {
  app.addHook('preValidation', (request, reply, done) => {
    const template = request.routeOptions.url;
    if (!template?.startsWith('/v1/notebooks/')) return done();
    const { session_id: sessionId } = textParams(request);
    if (sessionId === undefined) return done();
    const session = sessions.find(sessionId);
    if (!session || !reachesSession(request.caller, session)) {
      const listed = template.startsWith('/v1/notebooks/sessions/');
      return void answerRefusal(reply, listed ? refusals.sessionNotFound() : refusals.notebookNotFound());
    }
    if (request.routeOptions.config.access?.scope !== 'notebook:read') session.touch();
    actAs(request.caller, done, session.live.notebook().id);
  });
}
