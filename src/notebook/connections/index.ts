// The door of the connections of a notebook: which database they lead to, and what opens them.
export { type Connections, createConnections, type DatabaseTable } from './browse.ts';
export { confinement } from './confinement.ts';
export { connectionId, dialectOf, knownDrivers, mountNames, textOf, unknownDriver } from './identity.ts';
export { mountViews } from './mountViews.ts';
export {
  ConnectionRefused,
  type ConnectionUse,
  catalogCredential,
  type Opened,
  openConnection,
} from './open.ts';
export type { ConnectionParts } from './parts.ts';
