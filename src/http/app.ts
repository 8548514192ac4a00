// The HTTP application: hooks in the order in which a request meets them, then the routes. It knows the domain through
// its services and holds no state of its own.
import fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { answerErrors, answerExpectation, answerGarbage, answerMalformed } from './errors/answers.ts';
import { acceptJson } from './json.ts';
import { framePolicy, wrapResponses } from './plugins/envelope.ts';
import { checkHosts } from './plugins/hosts.ts';
import { enforceScopes, identifyCallers, resolveTenants } from './plugins/identity.ts';
import { describeRoutes } from './plugins/openapi.ts';
import { guardOrigins } from './plugins/origins.ts';
import { limitRates } from './plugins/rateLimits.ts';
import { observeRequests } from './plugins/requests.ts';
import { connectSchemas, noOtherCompilers } from './plugins/schemas.ts';
import { requestIdOf } from './requestId.ts';
import { adminRoutes } from './routes/admin.ts';
import { adminWorkerRoutes } from './routes/adminWorkers.ts';
import { artifactRoutes } from './routes/artifacts/index.ts';
import { buildRoutes } from './routes/builds/index.ts';
import { configRoutes } from './routes/config.ts';
import { debugRoutes } from './routes/debug.ts';
import { docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { logRoutes } from './routes/logs.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { notebookRoutes } from './routes/notebooks/index.ts';
import { tableRoutes } from './routes/tables/index.ts';
import { webRoutes } from './routes/web.ts';
import type { App, Services } from './services.ts';

/** Bodies of ordinary JSON routes; routes that take data say so themselves. */
const maxJsonBytes = 16 * 1024 * 1024;

/** For a request to arrive whole: a large upload over a slow line may, one that dribbles on for ever may not. */
const arrivalMilliseconds = 3_600_000;

export function createApp(services: Services): App {
  const { settings } = services;
  const app = fastify({
    bodyLimit: Math.min(maxJsonBytes, settings.maxUploadBytes),
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: arrivalMilliseconds,
    http: {
      // The host check decides; refused by the platform, a request would get no id.
      requireHostHeader: false,
      // Offers of other protocols (`h2c`) are declined by answering as ever.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
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
  acceptJson(app);
  answerErrors(app, services);

  wrapResponses(app, services);
  observeRequests(app, services);
  checkHosts(app, services);
  guardOrigins(app, services);
  identifyCallers(app, services);
  resolveTenants(app, services);
  limitRates(app, services);
  enforceScopes(app, services);

  const describe = describeRoutes(app);
  healthRoutes(app, services);
  metricsRoutes(app, services);
  logRoutes(app, services);
  debugRoutes(app, services);
  configRoutes(app, services);
  adminRoutes(app, services);
  adminWorkerRoutes(app, services);
  notebookRoutes(app, services);
  artifactRoutes(app, services);
  buildRoutes(app, services);
  mcpRoutes(app, services);
  tableRoutes(app, services);
  docsRoutes(app, services, describe);
  webRoutes(app, services);
  return app;
}

/** A target may name scheme and host, as clients write it to a proxy; what follows is the address. */
function withoutOrigin(url: string): string {
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
