// The door of the sockets of a session.
export type { Hub } from './hub.ts';
export { createHubs, type Hubs } from './hubs.ts';
export { acceptUpgrades } from './upgrade.ts';
