// The door of sessions.
export { readClaim } from './claim.ts';
export type { CloseReason } from './eviction.ts';
export { createHolds, type Holds } from './holds.ts';
export type { OpenSession } from './opened.ts';
export { createOpenSessions, type OpenSessions } from './openSessions.ts';
export { quiesce } from './quiesce.ts';
export type { NotebookAudience } from './sessionParts.ts';
