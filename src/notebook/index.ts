// The door of the notebook domain.
export { createNotebook, type Notebook, renameNotebook } from './document/index.ts';
export {
  type Audience,
  type CellOutcome,
  hitPayload,
  type LiveNotebook,
  outputPayload,
  type RunMode,
  stateRecord,
} from './live/index.ts';
export type { CloseReason } from './sessions/eviction.ts';
export { createOpenSessions, type OpenSession, type OpenSessions } from './sessions/openSessions.ts';
export { discoverNotebooks, type FoundNotebook } from './storage/discover.ts';
export { resolveInside } from './storage/paths.ts';
export { notebookRoot, openNotebookRoot } from './storage/roots.ts';
