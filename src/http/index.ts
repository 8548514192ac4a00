// The door of the HTTP shell.

export { asForwarded, endWhenGone, wasForwarded } from './forward.ts';
export { createFront } from './front.ts';
export { headerValues } from './headers.ts';
export { findElsewhere } from './home.ts';
export { hostCheck } from './plugins/hosts.ts';
export { originCheck } from './plugins/origins.ts';
export { requestIdOf } from './requestId.ts';
export type { App, Services } from './services.ts';
export { belowBasePath } from './shell.ts';
