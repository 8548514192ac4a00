// The end of a build that an executor pulled: what it brought is looked at and becomes the version, or the build has failed.
import { type Artifacts, artifactUri, attemptBlobName } from '../artifacts/index.ts';
import type { Queries } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import type { BuildRecorder } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Finalized, Signer } from '../workers/index.ts';
import { attemptOf, findUpload, type Upload } from './attempts.ts';
import type { Build, Lease } from './build.ts';
import type { BuildRows } from './rows.ts';
import { watchArrow } from './watchArrow.ts';

export interface PulledParts {
  readonly settings: Settings;
  readonly rows: BuildRows;
  readonly artifacts: Artifacts;
  readonly signer: Signer;
  readonly metrics: BuildRecorder;
  readonly onEnded: (id: string) => void;
}

export interface PulledFinish {
  /** Makes what was brought under the lease the result. */
  finish(build: Build, held: Lease): Promise<Finalized>;
  retire(build: Build, lease: Lease): Promise<void>;
}

export function createPulledFinish(parts: PulledParts): PulledFinish {
  const { settings, rows, artifacts, metrics } = parts;
  const { versions, staging, lateUploads } = artifacts;
  const { database, blobs, now } = artifacts.parts;

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

  return { finish, retire };
}

export const labels = ({ executor, pool }: Build) => ({ transform: executor, tenant: pool });
