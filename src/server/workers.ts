// Composes what runs cells on other machines: the catalog of workers, the signer of addresses, the transports.
import { randomBytes } from 'node:crypto';
import type { Artifacts } from '../artifacts/index.ts';
import type { Database } from '../database/index.ts';
import type { Owners } from '../nodes/index.ts';
import { shownTable } from '../notebook/index.ts';
import type { Tracing } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import {
  type Catalog,
  createCatalog,
  createHints,
  createListing,
  createProbes,
  createPulledCells,
  createSignedRuns,
  createSigner,
  createSshWorkers,
  createWorkerRegistry,
  createWorkers,
  type Hints,
  type Listing,
  type Probes,
  type PulledCells,
  type Signer,
  type SshWorkers,
  type WorkerRegistry,
  type Workers,
} from '../workers/index.ts';

export interface RemoteExecution {
  readonly workers: Workers;
  readonly catalog: Catalog;
  readonly registry: WorkerRegistry;
  readonly listing: Listing;
  readonly probes: Probes;
  readonly hints: Hints;
  readonly ssh: SshWorkers;
  readonly pulledCells: PulledCells;
  readonly signer: Signer;
}

export function createRemoteExecution(
  settings: Settings,
  address: () => string | null,
  database: Database | undefined,
  owners: Owners,
  artifacts: Artifacts | undefined,
  tracing: Tracing,
): RemoteExecution {
  const registry = createWorkerRegistry(database, settings.transformsConfig.notebook_workers);
  const probes = createProbes();
  const signer = createSigner(settings.transformSigningSecret ?? randomBytes(32), database?.now);
  const pulledCells = createPulledCells(signer);
  const maxBytes = settings.buildRunnerDefaultMaxOutput;
  const workers = createWorkers({
    limits: { maxMemberBytes: settings.notebookMaxBundleMemberBytes, maxBytes: settings.maxUploadBytes },
    provisioningSeconds: settings.workerProvisioningTimeoutSeconds,
    signed: createSignedRuns({
      pulledCells,
      signer,
      address,
      owners,
      maxBytes,
      maxFileBytes: settings.maxUploadBytes,
      expirySeconds: settings.signedUrlExpirySeconds,
      store:
        artifacts && settings.artifactPresignedUrls
          ? { blobs: artifacts.parts.blobs, lateUploads: artifacts.lateUploads }
          : undefined,
    }),
    env: process.env,
    tracing,
  });
  const isEditable = settings.notebookWorkersEditable && settings.deploymentMode === 'personal';
  const catalog = createCatalog({ isEditable, registered: registry.current });
  return {
    workers,
    catalog,
    registry,
    probes,
    listing: createListing({ probes, shown: shownTable, env: process.env }),
    hints: createHints({ find: catalog.find, env: process.env }),
    ssh: createSshWorkers(workers.tokens),
    pulledCells,
    signer,
  };
}
