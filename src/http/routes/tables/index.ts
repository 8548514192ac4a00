// Routes about tables: computing over them, streaming rows, the cache of row groups.
import type { App, Services } from '../../services.ts';
import { cacheRoutes } from './cache.ts';
import { exportRoutes } from './exporting.ts';
import { materializeRoutes } from './materialize.ts';
import { streamRoutes } from './streams.ts';
import { warmingRoutes } from './warming.ts';

export function tableRoutes(app: App, services: Services): void {
  materializeRoutes(app, services);
  streamRoutes(app, services);
  exportRoutes(app, services);
  cacheRoutes(app, services);
  warmingRoutes(app, services);
}
