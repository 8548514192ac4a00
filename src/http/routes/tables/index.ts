// Routes about tables: computing over them, streaming rows, the cache of row groups.
import type { App, Services } from '../../services.ts';
import { materializeRoutes } from './materialize.ts';
import { streamRoutes } from './streams.ts';

export function tableRoutes(app: App, services: Services): void {
  materializeRoutes(app, services);
  streamRoutes(app, services);
}
