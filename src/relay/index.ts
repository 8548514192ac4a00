// The door of the relay: both ends of the socket that a worker dials out on.
export { connectToRelay, RelayRefused } from './connect.ts';
export { createDialled, type Dialled } from './dialled.ts';
export { dialThroughFiles, type Exchange, openExchange } from './exchange.ts';
export { graceSeconds } from './frames.ts';
export { isToken, type RelayOptions, type RunningRelay, startRelay } from './relay.ts';
