// Builds that executors pull: whoever is given a manifest holds the build, fetches the inputs, brings the result and says so,
// all by signed addresses. A new manifest renews the hold, and takes it away from the one before.
import { createHash } from 'node:crypto';
import {
  ArrowInvalid,
  type Artifacts,
  type ArtifactVersion,
  artifactUri,
  attemptBlobName,
  blobNameOf,
  createArrowScan,
  inputsOf,
  transformOf,
} from '../artifacts/index.ts';
import type { Queries } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import type { BuildRecorder } from '../observability/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Finalized, Signed, SignedTransport, Signer } from '../workers/index.ts';
import { findUpload, keepUpload, type Upload } from './attempts.ts';
import type { Build, Lease } from './build.ts';
import { manifestOf } from './manifest.ts';
import type { BuildRows } from './rows.ts';

export interface PulledBuilds extends SignedTransport {
  /** Claims the build, or renews the claim. `base` is where its addresses lead. */
  manifest(build: Build, base: string): Promise<BuildManifestBody>;
  /** For a caller whose identity is the credential: finishes what the newest manifest brought. */
  finalizeBuild(build: Build): Promise<Finalized>;
}

export interface PulledParts {
  readonly settings: Settings;
  readonly rows: BuildRows;
  readonly artifacts: Artifacts;
  readonly signer: Signer;
  readonly metrics: BuildRecorder;
  readonly onEnded: (id: string) => void;
}

const owner = 'external:manifest';
const graceSeconds = 60;

/** A whole number is written with its fraction, as the wire has it. */
const leaseToken = ({ owner, expiresAt }: Lease): string =>
  `${owner}:${Number.isInteger(expiresAt) ? `${expiresAt}.0` : expiresAt}`;

export const attemptOf = (lease: Lease): string =>
  createHash('sha256').update(leaseToken(lease)).digest('hex').slice(0, 32);

export function createPulledBuilds(parts: PulledParts): PulledBuilds {
  const { settings, rows, artifacts, signer, metrics } = parts;
  const { versions, staging, lateUploads } = artifacts;
  const { database, blobs, now } = artifacts.parts;

  async function found({ capability, signature }: Signed): Promise<Build> {
    if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
    const build = await rows.find(capability.build_id);
    if (!build) throw refusals.buildNotFound();
    return build;
  }

  async function inputsFor(version: ArtifactVersion): Promise<ArtifactVersion[]> {
    const recorded = new Map(inputsOf(version.inputVersions).map((input) => [input.uri, input]));
    const inputs: ArtifactVersion[] = [];
    for (const uri of transformOf(version.transformSpec).inputs) {
      const address = recorded.get(uri)?.address;
      const input = address && (await versions.get(address));
      if (!input) throw refusals.pulledInputUnresolved(uri);
      inputs.push(input);
    }
    return inputs;
  }

  async function claim(build: Build): Promise<Lease> {
    const at = now();
    const lease = { owner, expiresAt: at + settings.signedUrlExpirySeconds + graceSeconds };
    if (build.state === 'pending') {
      if (!(await rows.claimPending(build.id, lease, at))) throw refusals.buildClaimed();
      metrics.buildStarted({ ...labels(build), queueWaitMs: (at - build.createdAt) * 1000 });
      return lease;
    }
    if (build.lease?.owner !== owner) throw refusals.buildHeldByRunner();
    if (!(await rows.renew(build.id, build.lease, lease.expiresAt))) throw refusals.buildLeaseLapsed();
    return lease;
  }

  /** Addresses of the object store, where the operator wants them and bytes lie in one. */
  async function presigned(inputs: readonly ArtifactVersion[], target: string, maxBytes: number) {
    if (!settings.artifactPresignedUrls || !blobs.presigner) return undefined;
    const { presigner } = blobs;
    const seconds = settings.signedUrlExpirySeconds;
    const addressOf = async (input: ArtifactVersion): Promise<string> => {
      const owner = input.canonical ? await versions.get(input.canonical) : input;
      return presigner.download(blobNameOf(owner ?? input), seconds);
    };
    return {
      inputs: await Promise.all(inputs.map(addressOf)),
      output: await presigner.upload(target, { maxBytes, seconds }),
    };
  }

  /** Nobody looks any more at what comes to the addresses of an earlier manifest, or of a build that is over. */
  async function retire({ target }: Build, lease: Lease): Promise<void> {
    if (settings.artifactPresignedUrls && blobs.presigner)
      await lateUploads.retire(attemptBlobName(target.id, attemptOf(lease)));
  }

  /** What an executor brought to the object store itself: looked at now, since it did not pass by here. */
  async function broughtToStore({ target }: Build, attempt: string): Promise<Upload | undefined> {
    const blobName = attemptBlobName(target.id, attempt);
    const blob = blobs.presigner && (await blobs.open(blobName));
    if (!blob) return undefined;
    const { byteSize } = blob;
    if (byteSize > settings.buildRunnerDefaultMaxOutput)
      return { bytes: { blobName, byteSize, sha256: '' }, facts: undefined, problem: '' };
    const scan = watchArrow();
    // Under a name of our own: the executor can still write to the one that it was given.
    const staged = await staging.receive(await blob.read(), settings.buildRunnerDefaultMaxOutput, scan.watch);
    return { bytes: await versions.place(target.id, staged), ...(await scan.finish()) };
  }

  async function fail(build: Build, held: Lease, { bytes }: Upload, code: string, refusal: Error): Promise<never> {
    if (await rows.fail(build, held, { code, message: refusal.message }, now())) {
      ended(build, code);
      await blobs.remove(bytes.blobName);
      await retire(build, held);
    }
    throw refusal;
  }

  const durationOf = ({ startedAt, createdAt }: Build): number => (now() - (startedAt ?? createdAt)) * 1000;

  function ended(build: Build, errorCode: string): void {
    metrics.buildFailed({ ...labels(build), durationMs: durationOf(build), errorCode });
    parts.onEnded(build.id);
  }

  async function finish(build: Build, held: Lease): Promise<Finalized> {
    const attempt = attemptOf(held);
    const upload = (await findUpload(database, build.id, attempt)) ?? (await broughtToStore(build, attempt));
    if (!upload) throw refusals.buildWithoutUpload(build.id);
    const limit = settings.buildRunnerDefaultMaxOutput;
    if (upload.bytes.byteSize > limit)
      return fail(build, held, upload, 'OUTPUT_TOO_LARGE', refusals.uploadTooLarge(limit));
    if (upload.facts === undefined)
      return fail(build, held, upload, 'INVALID_ARROW_FORMAT', refusals.resultNotArrow(upload.problem));
    const actor = { tenant: build.tenant, principal: build.principal };
    const complete = async (queries: Queries): Promise<void> => {
      const outcome = { at: now(), bytes: upload.bytes.byteSize };
      if (!(await rows.complete(queries, build.id, held, outcome))) throw refusals.buildLeaseLost();
    };
    const result = await versions.publish(
      build.target,
      upload.bytes,
      { ...upload.facts, name: build.name, actor },
      complete,
    );
    await retire(build, held);
    const bytes = { bytesIn: 0, bytesOut: upload.bytes.byteSize };
    metrics.buildSucceeded({ ...labels(build), durationMs: durationOf(build), ...bytes });
    parts.onEnded(build.id);
    return { artifactUri: artifactUri(result), byteSize: upload.bytes.byteSize, rowCount: upload.facts.rowCount };
  }

  return {
    async manifest(build, base) {
      refuseFinished(build);
      const version = await versions.get(build.target);
      if (!version) throw refusals.buildNotFound();
      const inputs = await inputsFor(version);
      const lease = await claim(build);
      const expiresAt = now() + settings.signedUrlExpirySeconds;
      const maxBytes = settings.buildRunnerDefaultMaxOutput;
      const attempt = attemptOf(lease);
      const target = attemptBlobName(version.id, attempt);
      const places = await presigned(inputs, target, maxBytes);
      if (places) await lateUploads.expect(target, settings.signedUrlExpirySeconds);
      if (build.lease) await retire(build, build.lease);
      return manifestOf({
        build,
        version,
        inputs,
        base,
        signer,
        expiresAt,
        maxBytes,
        attempt,
        lease: leaseToken(lease),
        places,
      });
    },

    async download(signed) {
      await found(signed);
      const { artifact_id, version } = signed.capability;
      const input = await versions.get({ id: String(artifact_id), version: Number(version) });
      if (!input) throw refusals.artifactNotFound();
      if (input.state !== 'ready' && input.state !== 'superseded') throw refusals.artifactNotReady(input.state);
      const blob = await versions.open(input);
      if (!blob) throw refusals.artifactDataNotFound();
      return blob;
    },

    async upload(signed, body) {
      const build = await found(signed);
      refuseFinished(build);
      const { attempt, max_bytes } = signed.capability;
      const scan = watchArrow();
      const staged = await staging.receive(body, Number(max_bytes), scan.watch);
      if (staged.byteSize === 0) {
        await staging.discard(staged);
        throw refusals.bodyEmpty();
      }
      const upload: Upload = { bytes: await versions.place(build.target.id, staged), ...(await scan.finish()) };
      const before = await keepUpload(database, build.id, String(attempt ?? ''), upload, now());
      if (before !== undefined) await blobs.remove(before);
      return upload.bytes.byteSize;
    },

    async finalize(signed) {
      const build = await found(signed);
      refuseFinished(build);
      if (!build.lease || leaseToken(build.lease) !== signed.capability.lease) throw refusals.buildLeaseLost();
      return finish(build, build.lease);
    },

    async finalizeBuild(build) {
      refuseFinished(build);
      if (build.lease?.owner !== owner) throw refusals.buildLeaseLost();
      return finish(build, build.lease);
    },

    async log(signed) {
      await found(signed);
      return false;
    },

    async outputFile({ capability, signature }) {
      if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
      throw refusals.buildTakesNoFiles();
    },
  };
}

const labels = ({ executor, pool }: Build) => ({ transform: executor, tenant: pool });

function refuseFinished({ state }: Build): void {
  if (state === 'ready' || state === 'failed') throw refusals.buildOver(state);
}

/** Looks at bytes as they pass; what is wrong with them is told in the end, to whoever finishes the build. */
function watchArrow() {
  const scan = createArrowScan();
  let problem: string | undefined;
  const noting = (error: unknown): void => {
    if (!(error instanceof ArrowInvalid)) throw error;
    problem = error.message;
  };
  return {
    watch(piece: Uint8Array): void {
      if (problem !== undefined) return;
      try {
        scan.push(piece);
      } catch (error) {
        noting(error);
      }
    },
    async finish(): Promise<Pick<Upload, 'facts' | 'problem'>> {
      const facts = problem === undefined ? await scan.finish().catch(noting) : undefined;
      return { facts: facts ?? undefined, problem: problem ?? '' };
    },
  };
}
