// The door of the sockets of a session.
export { refuseUpgrades } from './upgrade.ts';
