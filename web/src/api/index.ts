// The door of the requests.
export * from './client.ts';
export * from './comments.ts';
export * from './environment.ts';
export * from './files.ts';
export * from './hints.ts';
export * from './notebooks.ts';
export * from './operations.ts';
export * from './readAhead.ts';
export * from './rewrites.ts';
export * from './tables.ts';
export * from './values.ts';
export * from './workers.ts';
