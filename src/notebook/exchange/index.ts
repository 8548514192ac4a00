// The door of what notebooks become elsewhere, and of what comes from elsewhere.
export { usualOutputBytes } from './blocks.ts';
export { bundleMembers, type Include, snapshotMembers } from './bundle.ts';
export { importedName, newNotebookOf, readForeign, writeReport } from './importForeign.ts';
export { importSnapshot } from './importSnapshot.ts';
export type { Member } from './member.ts';
export { notebookText } from './notebookText.ts';
export type { TableBeginning } from './wholeOutputs.ts';
export { zipOf } from './zip.ts';
