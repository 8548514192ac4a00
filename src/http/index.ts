// The door of the HTTP shell.
export { createFront } from './front.ts';
export { headerValues } from './headers.ts';
export { hostCheck } from './plugins/hosts.ts';
export { originCheck } from './plugins/origins.ts';
export { requestIdOf } from './requestId.ts';
export type { App, Services } from './services.ts';
export { belowBasePath } from './shell.ts';
