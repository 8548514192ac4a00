// The door of what notebooks become elsewhere, and of what comes from elsewhere.

export { bringFiles, filesBeside } from './besideFiles.ts';
export { usualOutputBytes } from './blocks.ts';
export { bundleMembers, type Include, snapshotMembers } from './bundle.ts';
export {
  type Beside,
  importedName,
  newNotebookOf,
  type ReadNotebook,
  readForeign,
  writeReport,
} from './importForeign.ts';
export { importSnapshot } from './importSnapshot.ts';
export type { Member } from './member.ts';
export { type NamedFile, sizeInWords } from './namedFiles.ts';
export { notebookText } from './notebookText.ts';
export type { TableBeginning } from './wholeOutputs.ts';
export { zipOf } from './zip.ts';
