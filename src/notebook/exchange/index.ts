// The door of what notebooks become elsewhere, and of what comes from elsewhere.
export { blocksOf, type PageOptions, usualOutputBytes } from './blocks.ts';
export { bundleMembers, type Include, readmeOf, snapshotMembers } from './bundle.ts';
export { htmlOf } from './html.ts';
export { importedName, newNotebookOf, readForeign, writeReport } from './importForeign.ts';
export { importSnapshot } from './importSnapshot.ts';
export { markdownOf } from './markdown.ts';
export type { Member } from './member.ts';
export { jupyterNotebook, pythonScript } from './scripts.ts';
export { zipOf } from './zip.ts';
