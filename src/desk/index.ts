// The door of what programs see of notebooks and do in them.
export { type AgentActivities, type AgentActivity, createAgentActivities } from './agentActivity.ts';
export { createDesk, type Desk } from './desk.ts';
export { createRemoteDesk } from './remoteDesk.ts';
export { remoteSession } from './remoteSession.ts';
export { reportOf } from './report.ts';
export { createResultDesk, type ResultDesk, type ResultParts } from './resultDesk.ts';
export { checkTables, mayReadTables } from './tableRules.ts';
export { type VariantView, variantsOf } from './variants.ts';
export { type CellView, type RunView, shortened, type TestView } from './views.ts';
export { whileWanted } from './whileWanted.ts';
export { createWorkerDesk, usualWorkerPort, type WorkerDesk, type WorkerParts } from './workerDesk.ts';
export type { DefinedWorker, WorkerListView } from './workers.ts';
