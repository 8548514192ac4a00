// The whole HTTP application: the shell with every route.
import { watchPaths } from './knownPaths.ts';
import { describeRoutes } from './plugins/openapi.ts';
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
import { signInRoutes } from './routes/signIn.ts';
import { tableRoutes } from './routes/tables/index.ts';
import { webRoutes } from './routes/web.ts';
import type { App, Services } from './services.ts';
import { createShell } from './shell.ts';

export function createApp(services: Services): App {
  const app = createShell(services);
  const describe = describeRoutes(app);
  const known = watchPaths(app);
  healthRoutes(app, services);
  metricsRoutes(app, services);
  logRoutes(app, services);
  debugRoutes(app, services);
  configRoutes(app, services);
  adminRoutes(app, services);
  adminWorkerRoutes(app, services);
  signInRoutes(app, services);
  notebookRoutes(app, services);
  artifactRoutes(app, services);
  buildRoutes(app, services);
  mcpRoutes(app, services);
  tableRoutes(app, services);
  docsRoutes(app, services, describe);
  webRoutes(app, services, known);
  return app;
}
