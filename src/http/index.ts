// The door of the HTTP shell.
export { createApp } from './app.ts';
export { requestIdOf } from './requestId.ts';
export type { App, Services } from './services.ts';
