// The door of what programs see of notebooks and do in them.
export { createDesk, type Desk, type Language, type RunMode } from './desk.ts';
export { createRemoteDesk } from './remoteDesk.ts';
export { type CellView, type RunView, shortened, type TestView } from './views.ts';
export type { WorkerDefinition, WorkerListView } from './workers.ts';
