// Routes of the artifact store, in the groups in which people think of them.
import type { App, Services } from '../../services.ts';
import { provenanceRoutes } from './byProvenance.ts';
import { importRoutes } from './importing.ts';
import { keepingRoutes } from './keeping.ts';
import { listingRoutes } from './listing.ts';
import { nameRoutes } from './names.ts';
import { publicationRoutes } from './publications.ts';
import { publicCheckRoutes } from './publicChecks.ts';
import { publicPageRoutes } from './publicPages.ts';
import { registryRoutes } from './registry.ts';
import { stalenessRoutes } from './staleness.ts';
import { storingRoutes } from './storing.ts';
import { tagRoutes } from './tags.ts';
import { versionRoutes } from './versions.ts';

/** Routes that tell of stored results. */
const tellsOfResults = /^\/v1\/(artifacts|names|registry)\b/;

export function artifactRoutes(app: App, services: Services): void {
  // Whoever has read a stream to its end finds its result: where that is still being stored, they wait for it.
  app.addHook('preHandler', async ({ routeOptions, caller }) => {
    if (tellsOfResults.test(routeOptions.url ?? '')) await services.tables.scans.settled(caller.tenant ?? '');
  });
  listingRoutes(app, services);
  storingRoutes(app, services);
  provenanceRoutes(app, services);
  importRoutes(app, services);
  stalenessRoutes(app, services);
  versionRoutes(app, services);
  keepingRoutes(app, services);
  tagRoutes(app, services);
  nameRoutes(app, services);
  registryRoutes(app, services);
  publicationRoutes(app, services);
  publicPageRoutes(app, services);
  publicCheckRoutes(app, services);
}
