// The door of the server's side of workers.

export { type Catalog, createCatalog, type ServerWorker } from './catalog.ts';
export { createForwarded } from './forwarded.ts';
export { createHints, type HintReason, type Hints } from './hints.ts';
export { createListing, type Listing } from './listing.ts';
export { createProbes, type Probes } from './probes.ts';
export {
  type CellTransport,
  createPulledCells,
  type Finalized,
  type PulledCells,
  type Signed,
  type SignedTransport,
} from './pulledCells.ts';
export type { PushedFacts } from './pushBody.ts';
export { createWorkerRegistry, type WorkerRegistry } from './registry.ts';
export { createSignedRuns } from './signed.ts';
export { type Capability, createSigner, type SignedOperation, type Signer, signedPath } from './signing.ts';
export { identityOf, type RemoteWorker, remoteOf, routeOf, type WorkerDefinition, WorkerUnusable } from './spec.ts';
export { SshFailed } from './ssh/shell.ts';
export { createSshWorkers, type SshWorker, type SshWorkers } from './ssh/tunnels.ts';
export { createWorkers, type Workers } from './workers.ts';
