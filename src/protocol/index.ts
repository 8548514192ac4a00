// Shapes of everything that crosses a wire. Schemas only, no logic; server, command line, web app and tests import them.
export * from './artifacts.ts';
export * from './cache.ts';
export * from './cells.ts';
export * from './environments.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './frames.ts';
export * from './hints.ts';
export * from './materialize.ts';
export * from './metrics.ts';
export * from './notebooks.ts';
export * from './observability.ts';
export * from './query.ts';
export * from './serverFrames.ts';
export * from './tables.ts';
export * from './workerRoutes.ts';
export * from './workers.ts';
