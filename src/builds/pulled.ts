// Builds that executors pull: whoever is given a manifest holds the build, fetches the inputs, brings the result and says so,
// all by signed addresses. A new manifest renews the hold, and takes it away from the one before.
import { type ArtifactVersion, attemptBlobName, blobNameOf, recordedInputs, transformOf } from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import type { Finalized, Signed, SignedTransport } from '../workers/index.ts';
import { attemptOf, keepUpload, leaseToken, type Upload } from './attempts.ts';
import type { Build, Lease } from './build.ts';
import { manifestOf } from './manifest.ts';
import { createPulledFinish, labels, type PulledParts } from './pulledFinish.ts';
import { watchArrow } from './watchArrow.ts';

export type { PulledParts } from './pulledFinish.ts';

export interface PulledBuilds extends SignedTransport {
  /** Claims the build, or renews the claim. `base` is where its addresses lead. */
  manifest(build: Build, base: string): Promise<BuildManifestBody>;
  /** For a caller whose identity is the credential: finishes what the newest manifest brought. */
  finalizeBuild(build: Build): Promise<Finalized>;
}

const owner = 'external:manifest';
const graceSeconds = 60;

export function createPulledBuilds(parts: PulledParts): PulledBuilds {
  const { settings, rows, artifacts, signer, metrics } = parts;
  const { finish, retire } = createPulledFinish(parts);
  const { versions, staging, lateUploads } = artifacts;
  const { database, blobs, now } = artifacts.parts;

  async function found({ capability, signature }: Signed): Promise<Build> {
    if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
    const build = await rows.find(capability.build_id);
    if (!build) throw refusals.buildNotFound();
    return build;
  }

  async function inputsFor(version: ArtifactVersion): Promise<ArtifactVersion[]> {
    const recorded = new Map(recordedInputs(version.inputVersions).map((input) => [input.uri, input]));
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

function refuseFinished({ state }: Build): void {
  if (state === 'ready' || state === 'failed') throw refusals.buildOver(state);
}
