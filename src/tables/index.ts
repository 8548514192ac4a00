// The door of the tables room: scans of Iceberg tables as Arrow streams, from addresses to bytes.

export { cacheVersion, type StoredEntry } from './cache/entryFiles.ts';
export type { HeldRowGroup, RowGroupCache } from './cache/rowGroupCache.ts';
export { ScanRefused } from './qos/qos.ts';
export { createSlots, type Slots } from './qos/slots.ts';
export type { TableQueries } from './queries.ts';
export type { KeptStats } from './scan/kept.ts';
export type { RowGroups } from './scan/rowGroups.ts';
export type { ScanRun } from './scan/run.ts';
export { type AdmitBuild, type ScanAnswer, type ScanOrder, type Scans, scannedVersion } from './scan/scans.ts';
export type { Stream } from './scan/streams.ts';
export { createTables, type Tables } from './tables.ts';
export type { WarmJob } from './warm.ts';
export { exportSummary, type TableWrite, type Writes } from './writes.ts';
