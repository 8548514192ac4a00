// The door of remote mounts.

export type { CacheLimits } from './cacheSweep.ts';
export { credentialNames, type NamedMount, optionOfMachine, storageOptions } from './lent.ts';
export { createMountCache, type MountCache } from './mountCache.ts';
export {
  createRemoteMounts,
  type PreparedMount,
  type RemoteLook,
  type RemoteMount,
  type RemoteMounts,
  type WrittenFile,
} from './remoteMounts.ts';
export { placeIn, type StorageOptions } from './storageOptions.ts';
