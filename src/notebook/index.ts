// The door of the notebook domain.

export { discoverNotebooks, type FoundNotebook } from './document/index.ts';
export { createSessionDirectory, type OpenSession, type SessionDirectory } from './sessionDirectory.ts';
export { checkedNotebookName } from './storage/names.ts';
export { type PathLabel, resolveInside } from './storage/paths.ts';
export { notebookRoot, openNotebookRoot } from './storage/roots.ts';
