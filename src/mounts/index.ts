// The door of remote mounts.
export { type CacheLimits, createMountCache, type MountCache } from './mountCache.ts';
export {
  createRemoteMounts,
  type PreparedMount,
  type RemoteLook,
  type RemoteMount,
  type RemoteMounts,
} from './remoteMounts.ts';
export { placeIn, type StorageOptions } from './stores/store.ts';
