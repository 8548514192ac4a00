// The door of the terminal viewer: a read-only look at one live session.
export { createViewedServer, ServerAway, ServerRefused } from './server.ts';
export { NothingToWatch, watchInTerminal } from './watch.ts';
