// The door of the notebook routes.
import type { App, Services } from '../../services.ts';
import { notebookArtifactRoutes } from './artifacts.ts';
import { cellRunRoutes } from './cellRuns.ts';
import { cellRoutes } from './cells.ts';
import { cellTestRoutes } from './cellTests.ts';
import { connectionRoutes } from './connections.ts';
import { dataRoutes } from './data.ts';
import { dependencyRoutes } from './dependencies.ts';
import { discoverRoutes } from './discover.ts';
import { environmentRoutes } from './environment.ts';
import { exportRoutes } from './exporting.ts';
import { fileRoutes } from './files.ts';
import { hintRoutes } from './hints.ts';
import { importRoutes } from './importing.ts';
import { lifecycleRoutes } from './lifecycle.ts';
import { outputRoutes } from './outputs.ts';
import { quiesceRoutes } from './quiesce.ts';
import { resultRoutes } from './results.ts';
import { rewriteRoutes } from './rewrites.ts';
import { runtimeSettingsRoutes } from './runtimeSettings.ts';
import { variableRoutes } from './variables.ts';
import { variantRoutes } from './variants.ts';
import { workerRoutes } from './workers.ts';

export function notebookRoutes(app: App, services: Services): void {
  discoverRoutes(app, services);
  lifecycleRoutes(app, services);
  cellRoutes(app, services);
  cellRunRoutes(app, services);
  cellTestRoutes(app, services);
  hintRoutes(app, services);
  rewriteRoutes(app, services);
  connectionRoutes(app, services);
  dataRoutes(app, services);
  outputRoutes(app, services);
  resultRoutes(app, services);
  runtimeSettingsRoutes(app, services);
  variableRoutes(app, services);
  variantRoutes(app, services);
  workerRoutes(app, services);
  environmentRoutes(app, services);
  dependencyRoutes(app, services);
  quiesceRoutes(app, services);
  exportRoutes(app, services);
  fileRoutes(app, services);
  importRoutes(app, services);
  notebookArtifactRoutes(app, services);
}
