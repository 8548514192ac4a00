// An HTTP application without its routes: hooks in the order in which a request meets them. It knows the domain through
// its services and holds no state of its own.
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { answerErrors, answerExpectation, answerGarbage, answerMalformed } from './errors/answers.ts';
import { acceptJson } from './json.ts';
import { collectDeclarations } from './plugins/declarations.ts';
import { framePolicy, wrapResponses } from './plugins/envelope.ts';
import { sendToHomes } from './plugins/homes.ts';
import { checkHosts } from './plugins/hosts.ts';
import { enforceScopes, findSessions, identifyCallers, resolveTenants } from './plugins/identity.ts';
import { guardOrigins } from './plugins/origins.ts';
import { limitRates } from './plugins/rateLimits.ts';
import { observeRequests } from './plugins/requests.ts';
import { connectSchemas, noOtherCompilers } from './plugins/schemas.ts';
import { takeTurns } from './plugins/turns.ts';
import { closeUnreadBodies } from './plugins/unreadBodies.ts';
import { requestIdOf } from './requestId.ts';
import type { App, Services } from './services.ts';

/** Bodies of ordinary JSON routes; routes that take data say so themselves. */
const maxJsonBytes = 16 * 1024 * 1024;

/** For a request to arrive whole: a large upload over a slow line may, one that dribbles on for ever may not. */
const arrivalMilliseconds = 3_600_000;

/** For a kept connection to be used again: longer than the minute after which common proxies let go of theirs. */
const idleMilliseconds = 72_000;

/** After this silence the system asks whether the other end is still there: a machine without power says nothing, and would stay for ever. */
const askAfterMilliseconds = 60_000;

const connection: ServerOptions = {
  keepAlive: true,
  keepAliveInitialDelay: askAfterMilliseconds,
  requestTimeout: arrivalMilliseconds,
  keepAliveTimeout: idleMilliseconds,
  // The host check decides; refused by the platform, a request would get no id.
  requireHostHeader: false,
  // Offers of other protocols (`h2c`) are declined by answering as ever.
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** `door` stands before the application: every request comes to it first. */
export function createShell(services: Services, door = (application: Handler): Handler => application): App {
  const { settings } = services;
  const app = fastify({
    bodyLimit: Math.min(maxJsonBytes, settings.maxUploadBytes),
    genReqId: requestIdOf,
    requestIdHeader: false,
    serverFactory: (handler) => createServer(connection, door(handler)),
    rewriteUrl: (request) => belowBasePath(withoutOrigin(request.url ?? '/'), settings.publicBasePath),
    frameworkErrors: answerMalformed(framePolicy(settings)),
    clientErrorHandler: answerGarbage,
    trustProxy: settings.forwardedAllowIps.length > 0 ? [...settings.forwardedAllowIps] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    schemaController: noOtherCompilers,
  }).withTypeProvider<ZodTypeProvider>();

  app.server.on('checkExpectation', answerExpectation);
  connectSchemas(app);
  collectDeclarations(app);
  acceptJson(app);
  answerErrors(app, services);

  wrapResponses(app, services);
  closeUnreadBodies(app);
  observeRequests(app, services);
  checkHosts(app, services);
  guardOrigins(app, services);
  identifyCallers(app, services);
  resolveTenants(app, services);
  limitRates(app, services);
  takeTurns(app, services);
  enforceScopes(app, services);
  sendToHomes(app, services);
  findSessions(app, services);
  return app;
}

/** A target may name scheme and host, as clients write it to a proxy; what follows is the address. */
export function withoutOrigin(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

/** A proxy may pass its own prefix on or strip it; both reach the same route. */
export function belowBasePath(url: string, base: string): string {
  if (base === '' || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
