// Builds of transforms, put together: what is ordered becomes a row, a runner here or on another server of the store works on
// it, or an executor pulls it. What was stored is found before anything is begun.
import { randomUUID } from 'node:crypto';
import { type Artifacts, type ArtifactVersion, transformHash, transformSpec } from '../artifacts/index.ts';
import type { BuildRecorder, Log, Tracing } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import type { TableQueries } from '../tables/index.ts';
import type { Signer } from '../workers/index.ts';
import type { BuildAdmission } from './admission.ts';
import { removeUploads } from './attempts.ts';
import type { Build } from './build.ts';
import { createBuildRunner } from './buildRunner.ts';
import { createEmbeddedExecutor } from './embedded.ts';
import { createInputs } from './inputs.ts';
import { createPulledBuilds, type PulledBuilds } from './pulled.ts';
import type { OfferedTransform, Transforms } from './registry.ts';
import { createRemoteExecutor } from './remote.ts';
import type { BuildRows } from './rows.ts';

/** One input, at the version that the result will be known by. */
export interface BuildInput {
  readonly uri: string;
  readonly version: string;
  /** Null for a table. */
  readonly artifact: ArtifactVersion | null;
  /** How much there is to read; of a table what its files say. */
  readonly bytes: number;
}

export interface BuildOrder {
  readonly executor: string;
  readonly offered: OfferedTransform;
  /** With numbers as they were sent. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: readonly BuildInput[];
  readonly name: string | null;
  /** Builds anew even where a result is stored. */
  readonly refresh: boolean;
  readonly pool: string;
  readonly tenant: string;
  readonly principal: string | null;
}

export interface Builds {
  order(order: BuildOrder): Promise<{ readonly hit: ArtifactVersion } | { readonly build: Build }>;
  find(id: string): Promise<Build | undefined>;
  /** False when it was over already. */
  cancel(build: Build): Promise<boolean>;
  readonly pulled: PulledBuilds;
  /** Takes up what waits, from now on. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface BuildsParts {
  readonly settings: Settings;
  readonly artifacts: Artifacts;
  readonly rows: BuildRows;
  readonly transforms: Transforms;
  readonly admission: BuildAdmission;
  readonly queries: TableQueries;
  readonly engineReady: () => boolean;
  readonly signer: Signer;
  readonly metrics: BuildRecorder;
  readonly tracing: Tracing;
  readonly log: Log;
}

const tidyMilliseconds = 600_000;

export function createBuilds(parts: BuildsParts): Builds {
  const { settings, artifacts, rows, transforms, metrics, log } = parts;
  const { versions } = artifacts;
  const { now } = artifacts.parts;
  /** Places that builds ordered here hold until they are over, wherever they run. */
  const places = new Map<string, () => void>();

  let tidying: NodeJS.Timeout | undefined;

  async function tidy(): Promise<void> {
    try {
      await removeUploads(artifacts.parts, now() - settings.signedUrlExpirySeconds);
    } catch (error) {
      log.warning('What was brought for builds that are over could not be removed', { error });
    }
  }

  function leavePlace(id: string): void {
    places.get(id)?.();
    places.delete(id);
  }

  const runner = createBuildRunner({
    settings,
    rows,
    artifacts,
    transforms,
    bringInputs: createInputs({ artifacts, queries: parts.queries }),
    embedded: createEmbeddedExecutor(artifacts, parts.queries),
    remote: createRemoteExecutor(artifacts, log),
    engineReady: parts.engineReady,
    metrics,
    tracing: parts.tracing,
    log,
    onEnded: leavePlace,
    async onPoll() {
      for (const id of await rows.finished([...places.keys()])) leavePlace(id);
    },
  });

  async function known(order: BuildOrder, provenanceHash: string): Promise<ArtifactVersion | undefined> {
    const { tenant, principal } = order;
    const version = await versions.nameReady({ tenant, principal }, provenanceHash, order.refresh ? null : order.name);
    if (version && !order.refresh) await versions.used(version);
    return version;
  }

  /** Everything that begins a build, once it has a place. */
  async function begin(order: BuildOrder, origin: Parameters<typeof versions.begin>[0]): Promise<Build> {
    for (const { artifact } of order.inputs) if (artifact) await versions.used(artifact);
    const version = await versions.begin(origin);
    const build: Build = {
      id: randomUUID(),
      target: { id: version.id, version: version.version },
      executor: order.executor,
      state: 'pending',
      tenant: order.tenant,
      pool: order.pool,
      principal: order.principal,
      name: order.name,
      createdAt: now(),
      startedAt: null,
      completedAt: null,
      failure: null,
      lease: null,
      attempts: 0,
    };
    await rows.insert(build);
    return build;
  }

  return {
    find: rows.find,
    pulled: createPulledBuilds({ settings, rows, artifacts, signer: parts.signer, metrics, onEnded: leavePlace }),

    async order(order) {
      const inputVersions = Object.fromEntries(order.inputs.map(({ uri, version }) => [uri, version]));
      const { executor, params } = order;
      const spec = transformSpec({ executor, inputs: order.inputs.map(({ uri }) => uri), params });
      const provenanceHash = transformHash(spec, inputVersions);
      const stored = await known(order, provenanceHash);
      if (stored && !order.refresh) return { hit: stored };
      const { pool, tenant, principal, offered } = order;
      const leave = await parts.admission.admit({
        pool,
        estimatedBytes: estimateOf(offered, order.inputs),
        inputs: order.inputs.length,
      });
      try {
        const build = await begin(order, {
          id: stored?.id ?? null,
          provenanceHash,
          transformSpec: spec,
          inputVersions: JSON.stringify(inputVersions),
          tenant,
          principal,
        });
        places.set(build.id, leave);
        runner.poll();
        return { build };
      } catch (error) {
        leave();
        throw error;
      }
    },

    async cancel(build) {
      const failure = { code: 'CANCELLED', message: 'The build was cancelled.' };
      const wasOpen = await rows.fail(build, null, failure, now());
      if (!wasOpen) return false;
      runner.stop(build.id);
      leavePlace(build.id);
      return true;
    },

    async start() {
      const at = now();
      const failed = await rows.recover(at - settings.artifactZombieBuildTimeoutSeconds, at);
      if (failed > 0)
        log.warning('Builds of an earlier run can never finish and were marked as failed', { count: failed });
      tidying = setInterval(() => void tidy(), tidyMilliseconds).unref();
      await tidy();
      runner.start();
    },

    async close() {
      clearInterval(tidying);
      await runner.close();
    },
  };
}

/** A result is taken to be as large as all that it is made from, unless its limit was set. What is made from nothing may be as large as any. */
function estimateOf({ maxOutputBytes, hasOwnLimit }: OfferedTransform, inputs: readonly BuildInput[]): number {
  if (hasOwnLimit || inputs.length === 0) return maxOutputBytes;
  const all = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(maxOutputBytes, all);
}
