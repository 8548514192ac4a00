// The door of the notebook domain.
export { createSessionDirectory, type OpenSession, type SessionDirectory } from './sessionDirectory.ts';
export { discoverNotebooks, type FoundNotebook } from './storage/discover.ts';
export { checkedNotebookName } from './storage/names.ts';
export { type PathLabel, resolveInside } from './storage/paths.ts';
export { notebookRoot } from './storage/roots.ts';
