// Routes about builds: how they are doing, and what executors and workers ask while they work on them.
import type { App, Services } from '../../services.ts';
import { signedRoutes } from './signed.ts';
import { statusRoutes } from './status.ts';

export function buildRoutes(app: App, services: Services): void {
  statusRoutes(app, services);
  signedRoutes(app, services);
}
