// The door of the composition root.
export { createServices, type Parts } from './services.ts';
export { type RunningServer, startServer } from './start.ts';
