// The door of what cells read from outside their notebook.
export { datasetReader, referenceOf } from './datasets.ts';
export { type FetchEntry, fetchFolder, fetchIndex, fetchKey, openFetchCache } from './fetchCache.ts';
export { fetchReader } from './fetches.ts';
export { localMountReader } from './localMounts.ts';
export { type MountFound, type MountTestParts, testMount } from './mountTest.ts';
export { createOutside, type Found, type LookOptions, type Outside, type OutsideReader } from './outside.ts';
export { type RemoteMountParts, remoteMountReader } from './remoteMounts.ts';
export { type TableRead, tableReader } from './tableInputs.ts';
export { type FarEnvironment, openWorkerEnvironments } from './workerEnvironments.ts';
