// What a server starts with: probes, metrics and the page. The whole application, with the schemas of its two hundred
// routes, is loaded by the first request for more, or by the first page, whose next request will be one.
import type { ServerResponse } from 'node:http';
import { watchPaths } from './knownPaths.ts';
import { describeRoutes } from './plugins/openapi.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { webRoutes } from './routes/web.ts';
import type { App, Services } from './services.ts';
import { belowBasePath, createShell, type Handler, withoutOrigin } from './shell.ts';

const inFront = /^\/((health|metrics)(\/\w+)?|output-frame|assets\/[\w.-]+)?$/;

export function createFront(services: Services): App {
  const { settings, log } = services;
  let loading: Promise<App> | undefined;

  function loadWhole(): Promise<App> {
    loading ??= import('./app.ts').then(async ({ createApp }) => {
      const app = createApp(services);
      await app.ready();
      return app;
    });
    return loading;
  }

  function fail(response: ServerResponse, error: unknown): void {
    log.error('The application could not be loaded', { error });
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end('Internal Server Error');
  }

  const door =
    (front: Handler): Handler =>
    (request, response) => {
      const [path = ''] = belowBasePath(withoutOrigin(request.url ?? '/'), settings.publicBasePath).split('?', 1);
      if (inFront.test(path)) {
        front(request, response);
        if (path === '/') loadWhole().catch((error) => log.error('The application could not be loaded', { error }));
      } else {
        loadWhole().then(
          (app) => app.routing(request, response),
          (error) => fail(response, error),
        );
      }
    };

  const app = createShell(services, door);
  describeRoutes(app);
  const known = watchPaths(app);
  healthRoutes(app, services);
  metricsRoutes(app, services);
  webRoutes(app, services, known);
  app.addHook('onClose', async () => (await loading)?.close());
  return app;
}
